/// The properties stated in the header of an image file. Reading them neither decodes nor allocates pixels.
public struct ImageHeader: Sendable, Hashable {
  /// The reason why a header cannot be read.
  public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownFormat
    case truncated
    /// The part, in the terms of the format.
    case malformed(String)
    /// The kind of the file, with its article.
    case unsupported(String)

    public var description: String {
      switch self {
      case .unknownFormat: "has an unknown format"
      case .truncated: "ends within its header"
      case .malformed(let part): "has a malformed header (\(part))"
      case .unsupported(let kind): "is \(kind), which Tessera does not support"
      }
    }
  }

  public let format: ImageFormat
  public let size: ImageSize
  /// 1 for grey, 3 for colour.
  public let components: Int
  public let bitsPerComponent: Int

  /// - Throws: `ImageHeader.Problem`.
  public init(_ data: some Collection<UInt8>) throws(Problem) {
    let data = Array(data)[...]
    switch ImageFormat(data) {
    case .jpeg: self = try Self.jpeg(data)
    case .jpeg2000: self = try Self.jpeg2000(data)
    case .png: self = try Self.png(data)
    case .wsq: self = try Self.wsq(data)
    case .unknown:
      if let name = ForeignFormat.name(of: data) { throw .unsupported(name) }
      throw .unknownFormat
    }
  }

  private init(_ format: ImageFormat, width: Int, height: Int, components: Int, bits: Int) throws(Problem) {
    guard width > 0, height > 0, components > 0 else { throw .malformed("no pixels") }
    self.format = format
    size = ImageSize(width: width, height: height)
    self.components = components
    bitsPerComponent = bits
  }

  private static func jpeg(_ data: ArraySlice<UInt8>) throws(Problem) -> ImageHeader {
    let frame = try JPEGFile(data).frame
    return try ImageHeader(
      .jpeg, width: frame.size.width, height: frame.size.height, components: frame.components, bits: frame.bits)
  }

  /// The frame header of WSQ (FBI IAFIS-IC-0110): black, white, height, width, …; always grey with eight bits.
  private static func wsq(_ data: ArraySlice<UInt8>) throws(Problem) -> ImageHeader {
    // End of image, and start of block.
    var segments = MarkerSegments(data.dropFirst(2), endingAt: [0xA1, 0xA3])
    while let segment = try segments.next() {
      guard segment.marker == 0xA2 else { continue }
      var frame = ImageBytes(segment.content)
      _ = try frame.number(2)
      let height = try frame.number(2)
      return try ImageHeader(.wsq, width: try frame.number(2), height: height, components: 1, bits: 8)
    }
    throw .malformed("no frame header")
  }

  private static func png(_ data: ArraySlice<UInt8>) throws(Problem) -> ImageHeader {
    var bytes = ImageBytes(data.dropFirst(8))
    guard try bytes.number(4) == 13, try bytes.number(4) == 0x4948_4452 else { throw .malformed("no IHDR") }
    let width = try bytes.number(4)
    let height = try bytes.number(4)
    let bits = try bytes.number(1)
    // Grey, palette, grey with alpha, colour, colour with alpha (PNG, 11.2.2).
    guard let components = [0: 1, 2: 3, 3: 3, 4: 2, 6: 4][try bytes.number(1)] else { throw .malformed("colour type") }
    return try ImageHeader(.png, width: width, height: height, components: components, bits: bits)
  }

  private static func jpeg2000(_ data: ArraySlice<UInt8>) throws(Problem) -> ImageHeader {
    let siz = try JPEG2000File(data).imageSize
    return try ImageHeader(
      .jpeg2000, width: siz.width, height: siz.height, components: siz.components.count,
      bits: siz.components.first?.bits ?? 0)
  }
}

/// Reads big-endian numbers from the start of an image file.
package struct ImageBytes {
  package private(set) var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  package mutating func take(_ count: Int) throws(ImageHeader.Problem) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .truncated }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// - Parameter count: at most four bytes.
  package mutating func number(_ count: Int) throws(ImageHeader.Problem) -> Int {
    try take(count).reduce(0) { $0 << 8 | Int($1) }
  }
}

/// Formats that no travel document has. Only their names are known, so that a refusal can be understood.
enum ForeignFormat {
  /// The name with its article; nil for other data.
  static func name(of data: ArraySlice<UInt8>) -> String? {
    let start = Array(data.prefix(64))
    if let entry = signatures.first(where: { start.starts(with: $0.bytes) }) { return entry.name }
    if start.starts(with: Array("RIFF".utf8)), start.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      return "a WebP picture"
    }
    if start.dropFirst(4).starts(with: Array("ftyp".utf8)) { return mediaName(start) }
    // The length of the second header tells it from text.
    if start.starts(with: Array("BM".utf8)), start.count > 18, [12, 40, 52, 56, 64, 108, 124].contains(start[14]),
      start[15..<18].allSatisfy({ $0 == 0 })
    {
      return "a BMP picture"
    }
    if start.count > 3, start[0] == 0x50, (0x31...0x37).contains(start[1]), [0x09, 0x0A, 0x0D, 0x20].contains(start[2])
    {
      return "a PNM picture"
    }
    return nil
  }

  private static let signatures: [(name: String, bytes: [UInt8])] = [
    ("a GIF picture", Array("GIF8".utf8)),
    ("a TIFF picture", [0x49, 0x49, 0x2A, 0x00]), ("a TIFF picture", [0x4D, 0x4D, 0x00, 0x2A]),
    ("a TIFF picture", [0x49, 0x49, 0x2B, 0x00]), ("a TIFF picture", [0x4D, 0x4D, 0x00, 0x2B]),
    ("a PDF file", Array("%PDF-".utf8)), ("a PostScript file", Array("%!PS".utf8)),
    ("a JPEG XL picture", [0xFF, 0x0A]),
    ("a JPEG XL picture", [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
    ("a JPEG XR picture", [0x49, 0x49, 0xBC]),
    ("a Photoshop picture", Array("8BPS".utf8)),
    ("an icon", [0x00, 0x00, 0x01, 0x00]),
    ("an SVG picture", Array("<svg".utf8)),
    ("an XML file", Array("<?xml".utf8)),
    ("an HTML page", Array("<!DOCTYPE html".utf8)), ("an HTML page", Array("<html".utf8)),
    ("a ZIP archive", [0x50, 0x4B, 0x03, 0x04]),
    ("an MNG picture", [0x8A, 0x4D, 0x4E, 0x47]),
    ("a QOI picture", Array("qoif".utf8)),
    ("an OpenEXR picture", [0x76, 0x2F, 0x31, 0x01]),
  ]

  /// By the brands of the first box (ISO/IEC 14496-12, 4.3).
  private static func mediaName(_ start: [UInt8]) -> String {
    let length = start.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let brands = stride(from: 8, to: min(max(12, length), start.count), by: 4).map {
      String(decoding: start[$0..<min($0 + 4, start.count)], as: UTF8.self)
    }
    if brands.contains(where: { ["avif", "avis"].contains($0) }) { return "an AVIF picture" }
    let heif: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1"]
    return brands.contains(where: heif.contains) ? "a HEIC picture" : "a film"
  }
}

/// The properties that a record states about an image, compared with the image's own header.
struct StatedImageProperties {
  let element: FileElement
  /// Empty if the record does not state it.
  var formats: Set<ImageFormat> = []
  /// Zero if the record does not state it.
  var width = 0
  var height = 0

  func findings(_ data: [UInt8]) -> [FileFinding] {
    let header: ImageHeader
    do {
      header = try ImageHeader(data)
    } catch {
      return [element.finding("image", .malformed("\(error)"))]
    }
    var findings: [FileFinding] = []
    if !formats.isEmpty, !formats.contains(header.format) {
      let stated = formats.map(\.rawValue).sorted().joined(separator: " or ")
      findings.append(element.finding("image data type", .imageFormat(stated: stated, found: header.format.rawValue)))
    }
    let stated = ImageSize(width: width, height: height)
    if width > 0, height > 0, stated != header.size {
      findings.append(element.finding("image size", .imageSize(stated: stated, found: header.size)))
    }
    return findings
  }
}
