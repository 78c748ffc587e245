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
