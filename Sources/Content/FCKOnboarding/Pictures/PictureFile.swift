import TesseraPictures

/// A picture file that was received, before it is decoded: whether its header stays within the limits (dossier,
/// section 5).
struct PictureFile {
  /// The bytes of the largest file.
  static let sizeLimit = 5 << 20
  /// The longest side, in pixels.
  static let longestSide = 4096
  /// The bytes of the largest decoded picture: the longest sides with four bytes a pixel.
  static let decodedLimit = longestSide * longestSide * 4
  /// A progressive JPEG repeats its pixels in scans. A small file can have thousands of them.
  static let mostScans = 100

  enum Problem: Error, Equatable {
    /// Neither PNG nor JPEG.
    case format
    /// Larger than a limit.
    case tooLarge
    case header
  }

  let bytes: [UInt8]
  /// The bytes of the decoded picture.
  let decodedSize: Int

  /// - Throws: `Problem`.
  init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= Self.sizeLimit else { throw .tooLarge }
    let header: ImageHeader
    do {
      header = try ImageHeader(bytes)
    } catch {
      switch error {
      case .unknownFormat, .unsupported: throw .format
      case .truncated, .malformed: throw .header
      }
    }
    guard header.format == .png || header.format == .jpeg else { throw .format }
    let size = header.size
    guard size.width <= Self.longestSide, size.height <= Self.longestSide,
      // Eight bits take one byte, sixteen take two.
      size.width * size.height * max(3, header.components) * ((header.bitsPerComponent + 7) / 8) <= Self.decodedLimit,
      header.format == .png || Self.scans(of: bytes) <= Self.mostScans
    else { throw .tooLarge }
    self.bytes = bytes
    decodedSize = size.width * size.height * 4 * ((header.bitsPerComponent + 7) / 8)
  }

  /// The number of start-of-scan markers. In the data of a scan, a byte FF is never followed by DA (ITU-T T.81,
  /// B.1.1.5).
  private static func scans(of bytes: [UInt8]) -> Int {
    var count = 0
    var isMarker = false
    for byte in bytes {
      if isMarker, byte == 0xDA { count += 1 }
      isMarker = byte == 0xFF
    }
    return count
  }
}
