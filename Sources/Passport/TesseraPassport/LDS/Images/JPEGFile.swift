/// What a JPEG file states before its first scan (ITU-T T.81, annex B).
package struct JPEGFile: Sendable {
  /// The frame header (B.2.2).
  package struct Frame: Sendable {
    /// SOF0 to SOF15.
    let marker: UInt8
    package let size: ImageSize
    package let components: Int
    let bits: Int
    /// The sampling factors of each component, horizontal and vertical.
    let sampling: [(Int, Int)]

    /// Whether it is baseline, sequential or progressive with Huffman codes and is grey or has three colours: every
    /// browser shows it.
    package var isUsual: Bool { (0xC0...0xC2).contains(marker) && unsupportedKind == nil && components != 4 }

    /// The kind of the file, with its article, if libjpeg-turbo 2.1 cannot decode it although it may be whole.
    package var unsupportedKind: String? {
      switch marker {
      case 0xC3, 0xCB: return "a lossless JPEG"
      case 0xC5...0xC7, 0xCD...0xCF: return "a hierarchical JPEG"
      default: break
      }
      if bits != 8 { return "a JPEG with \(bits) bits a sample" }
      if ![1, 3, 4].contains(components) { return "a JPEG with \(components) components" }
      let horizontal = sampling.map(\.0)
      let vertical = sampling.map(\.1)
      let isFractional = [horizontal, vertical].contains { factors in
        let largest = factors.max() ?? 1
        return factors.contains { $0 > 0 && largest % $0 != 0 }
      }
      return isFractional ? "a JPEG with fractional sampling factors" : nil
    }
  }

  package let frame: Frame
  /// The TIFF structure of EXIF (CIPA DC-008); nil if there is none.
  package let exif: ArraySlice<UInt8>?

  static let exifIdentifier: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
  static let frameMarkers: Set<UInt8> = [
    0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF,
  ]
  /// End of image, and start of scan.
  private static let ends: Set<UInt8> = [0xD9, 0xDA]
  /// SOF55 of JPEG-LS (ITU-T T.87).
  private static let jpegLS: UInt8 = 0xF7

  /// - Throws: `ImageHeader.Problem`.
  package init(_ data: ArraySlice<UInt8>) throws(ImageHeader.Problem) {
    var frame: Frame?
    var exif: ArraySlice<UInt8>?
    do throws(ImageHeader.Problem) {
      var segments = MarkerSegments(data.dropFirst(2), endingAt: Self.ends)
      while let segment = try segments.next() {
        if segment.marker == Self.jpegLS { throw ImageHeader.Problem.unsupported("JPEG-LS") }
        if frame == nil, Self.frameMarkers.contains(segment.marker) { frame = try Frame(segment) }
        if exif == nil, segment.marker == 0xE1, segment.content.starts(with: Self.exifIdentifier) {
          exif = segment.content.dropFirst(Self.exifIdentifier.count)
        }
      }
    } catch {
      // What follows the frame header is the decoder's concern.
      guard frame != nil else { throw error }
    }
    guard let frame else { throw .malformed("no frame header") }
    self.frame = frame
    self.exif = exif
  }

  /// The file without its APP1 segments, so that no viewer turns it by its EXIF data.
  ///
  /// - Throws: `ImageHeader.Problem`.
  package static func withoutEXIF(_ data: [UInt8]) throws(ImageHeader.Problem) -> [UInt8] {
    var segments = MarkerSegments(data.dropFirst(2), endingAt: ends)
    var bytes: [UInt8] = []
    var copied = 0
    while let segment = try segments.next() {
      guard segment.marker == 0xE1 else { continue }
      bytes += data[copied..<segment.start]
      copied = segment.content.endIndex
    }
    return bytes + data[copied...]
  }
}

extension JPEGFile.Frame {
  fileprivate init(_ segment: MarkerSegments.Segment) throws(ImageHeader.Problem) {
    var fields = ImageBytes(segment.content)
    marker = segment.marker
    bits = try fields.number(1)
    let height = try fields.number(2)
    size = ImageSize(width: try fields.number(2), height: height)
    components = try fields.number(1)
    // B.2.5: a DNL segment after the first scan has it.
    if height == 0, size.width > 0 { throw .unsupported("a JPEG that states its height after its data") }
    var sampling: [(Int, Int)] = []
    while sampling.count < components, fields.rest.count >= 3 {
      _ = try fields.number(1)
      let factors = try fields.number(1)
      _ = try fields.number(1)
      sampling.append((factors >> 4, factors & 0x0F))
    }
    self.sampling = sampling
  }
}

/// The marker segments at the start of a JPEG or WSQ file, one after the other. Like libjpeg, it passes over bytes
/// between two segments.
struct MarkerSegments {
  struct Segment {
    let marker: UInt8
    let content: ArraySlice<UInt8>
    /// The index of the marker's first byte.
    let start: Int
  }

  private var bytes: ImageBytes
  private let ends: Set<UInt8>

  init(_ data: ArraySlice<UInt8>, endingAt ends: Set<UInt8>) {
    bytes = ImageBytes(data)
    self.ends = ends
  }

  /// - Returns: nil at one of the end markers.
  /// - Throws: `ImageHeader.Problem`.
  mutating func next() throws(ImageHeader.Problem) -> Segment? {
    while true {
      _ = try bytes.take(bytes.rest.prefix { $0 != 0xFF }.count + 1)
      let start = bytes.rest.startIndex - 1
      var marker = UInt8(truncatingIfNeeded: try bytes.number(1))
      while marker == 0xFF { marker = UInt8(truncatingIfNeeded: try bytes.number(1)) }  // fill bytes
      if ends.contains(marker) { return nil }
      // Stuffing, TEM, and RST0 to RST7 have no content.
      if marker <= 0x01 || (0xD0...0xD7).contains(marker) { continue }
      let length = try bytes.number(2)
      guard length >= 2 else { throw .malformed("segment length") }
      return Segment(marker: marker, content: try bytes.take(length - 2), start: start)
    }
  }
}
