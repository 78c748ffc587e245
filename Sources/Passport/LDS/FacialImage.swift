/// One image of an ISO/IEC 19794-5:2005 facial record, the format that Doc 9303-10 prescribes.
public struct FacialImage: Sendable, Equatable {
  /// What the first bytes of the image say it is; the record's own statement is not trusted.
  public enum Format: String, Sendable {
    case jpeg = "JPEG"
    case jpeg2000 = "JPEG 2000"
    case unknown

    /// The usual ending of a file name.
    public var fileExtension: String {
      switch self {
      case .jpeg: "jpg"
      case .jpeg2000: "jp2"
      case .unknown: "bin"
      }
    }
  }

  /// The image file, as it came.
  public var data: [UInt8]
  /// Width and height in pixels as the record states them.
  public var width: Int
  public var height: Int

  public init(data: [UInt8], width: Int, height: Int) {
    self.data = data
    self.width = width
    self.height = height
  }

  public var format: Format {
    if data.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    // A JP2 file begins with the signature box, a bare codestream with SOC and SIZ.
    if data.starts(with: [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A])
      || data.starts(with: [0xFF, 0x4F, 0xFF, 0x51])
    {
      return .jpeg2000
    }
    return .unknown
  }

  /// The images of a facial record.
  ///
  /// - Throws: `PassportError.fileMalformed`.
  static func images(ofRecord record: ArraySlice<UInt8>) throws(PassportError) -> [FacialImage] {
    var reader = BigEndianReader(record)
    // 5.4: format identifier "FAC\0", version "010\0", record length, number of images
    guard let identifier = reader.take(4), identifier.elementsEqual([0x46, 0x41, 0x43, 0x00]),
      reader.take(4) != nil, reader.number(4) != nil, let count = reader.number(2)
    else { throw .fileMalformed(.dg2, "no ISO/IEC 19794-5 facial record") }
    var images: [FacialImage] = []
    for _ in 0..<count {
      guard let image = image(&reader) else { throw .fileMalformed(.dg2, "facial record is cut short") }
      images.append(image)
    }
    return images
  }

  private static func image(_ reader: inout BigEndianReader) -> FacialImage? {
    // 5.5 facial information block: block length, number of feature points, then 14 bytes of description
    guard let blockLength = reader.number(4), let featurePoints = reader.number(2), reader.take(14) != nil,
      // 5.6 feature points of eight bytes
      reader.take(featurePoints * 8) != nil,
      // 5.7 image information: image type, data type, width, height, colour space, source, device, quality
      reader.take(2) != nil, let width = reader.number(2), let height = reader.number(2), reader.take(6) != nil
    else { return nil }
    let length = blockLength - 20 - featurePoints * 8 - 12
    guard length > 0, let data = reader.take(length) else { return nil }
    return FacialImage(data: Array(data), width: width, height: height)
  }

  static func record(of images: [FacialImage]) -> [UInt8] {
    var blocks: [UInt8] = []
    for image in images {
      blocks += bigEndian(20 + 12 + image.data.count, 4) + bigEndian(0, 2)
      blocks += [UInt8](repeating: 0, count: 14)  // sex, eyes, hair, features, expression, pose: unspecified
      blocks += [0x01, image.format == .jpeg2000 ? 0x01 : 0x00]  // full frontal; data type
      blocks += bigEndian(image.width, 2) + bigEndian(image.height, 2)
      blocks += [0x01, 0x00, 0x00, 0x00, 0x00, 0x00]  // sRGB 24 bit; source, device and quality unspecified
      blocks += image.data
    }
    let head = Array("FAC\0".utf8) + Array("010\0".utf8)
    return head + bigEndian(head.count + 6 + blocks.count, 4) + bigEndian(images.count, 2) + blocks
  }

  private static func bigEndian(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}

/// Takes fields off the front of bytes; nil where they end too early.
private struct BigEndianReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// An unsigned number of at most four bytes.
  mutating func number(_ bytes: Int) -> Int? {
    take(bytes).map { $0.reduce(0) { $0 << 8 | Int($1) } }
  }
}
