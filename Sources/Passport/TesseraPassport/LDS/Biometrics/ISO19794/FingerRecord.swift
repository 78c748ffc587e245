/// A finger image record of ISO/IEC 19794-4:2005. Numeric codes are those of the standard's tables.
public struct FingerRecord: Sendable, Hashable {
  /// One view of a finger (7.2).
  public struct Image: Sendable, Hashable {
    /// Unknown 0, right thumb 1 to right little 5, left thumb 6 to left little 10.
    public var position: UInt8
    public var viewCount: UInt8 = 1
    public var viewNumber: UInt8 = 1
    public var quality: UInt8 = 0
    /// Live-scan plain 0.
    public var impressionType: UInt8 = 0
    /// In pixels.
    public var width: UInt16
    public var height: UInt16
    /// The image file as stored on the chip.
    public var data: [UInt8]

    package init(position: UInt8, width: UInt16, height: UInt16, data: [UInt8]) {
      self.position = position
      self.width = width
      self.height = height
      self.data = data
    }

    public var format: ImageFormat { ImageFormat(data) }
  }

  public var captureDevice: UInt16 = 0
  public var acquisitionLevel: UInt16 = 31
  /// Pixels per inch 1, per centimetre 2.
  public var scaleUnits: UInt8 = 1
  public var scanResolution: [UInt16] = [500, 500]
  public var imageResolution: [UInt16] = [500, 500]
  public var pixelDepth: UInt8 = 8
  /// None 0, none and packed 1, WSQ 2, JPEG 3, JPEG 2000 4, PNG 5.
  public var compression: UInt8
  public var images: [Image]

  package init(compression: UInt8, images: [Image]) {
    self.compression = compression
    self.images = images
  }

  /// `FIR`.
  static let formatIdentifier: [UInt8] = [0x46, 0x49, 0x52, 0x00]
  /// `010`.
  private static let version: [UInt8] = [0x30, 0x31, 0x30, 0x00]
  private static let headerLength = 32
  private static let imageHeaderLength = 14

  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    let record = element.part("finger image record", element.value)
    var fields = ByteFields(record)
    guard try fields.bytes(4, "format identifier").elementsEqual(Self.formatIdentifier) else {
      throw record.finding("format identifier", .malformed("is not that of ISO/IEC 19794-4"))
    }
    let version = Array(try fields.bytes(4, "version number"))
    try Self.check(version, isNot: "020", of: "ISO/IEC 19794-4", record)
    let length = try fields.number(bytes: 6, "record length")
    if length != element.value.count {
      findings.append(record.finding("record length", .length(stated: length, found: element.value.count)))
    }
    captureDevice = try fields.number("capture device ID")
    acquisitionLevel = try fields.number("image acquisition level")
    let count: UInt8 = try fields.number("number of fingers")
    scaleUnits = try fields.number("scale units")
    scanResolution = [try fields.number("scan resolution"), try fields.number("scan resolution")]
    imageResolution = [try fields.number("image resolution"), try fields.number("image resolution")]
    pixelDepth = try fields.number("pixel depth")
    compression = try fields.number("image compression algorithm")
    _ = try fields.bytes(2, "reserved bytes")
    images = []
    let statedFormats: [UInt8: ImageFormat] = [2: .wsq, 3: .jpeg, 4: .jpeg2000, 5: .png]
    for number in 0..<Int(count) {
      let image = try Self.image(&fields, record, number + 1)
      images.append(image)
      // Uncompressed images have no header to compare with.
      if let format = statedFormats[compression] {
        findings += StatedImageProperties(
          element: record.part("finger image \(number + 1)", []), formats: [format], width: Int(image.width),
          height: Int(image.height)
        ).findings(image.data)
      }
    }
  }

  private static func image(
    _ record: inout ByteFields, _ owner: FileElement, _ number: Int
  ) throws(FileFinding) -> Image {
    let element = owner.part("finger image \(number)", record.rest)
    var fields = ByteFields(element)
    let length: UInt32 = try fields.number("length of finger data block")
    guard length >= imageHeaderLength else { throw element.finding("length of finger data block", .truncated) }
    var image = Image(position: try fields.number("finger position"), width: 0, height: 0, data: [])
    image.viewCount = try fields.number("count of views")
    image.viewNumber = try fields.number("view number")
    image.quality = try fields.number("finger image quality")
    image.impressionType = try fields.number("impression type")
    image.width = try fields.number("horizontal line length")
    image.height = try fields.number("vertical line length")
    _ = try fields.bytes(1, "reserved byte")
    image.data = Array(try fields.bytes(Int(length) - imageHeaderLength, "finger image data"))
    _ = try record.bytes(Int(length), "finger image \(number)")
    return image
  }

  var encoded: [UInt8] {
    var blocks: [UInt8] = []
    for image in images {
      blocks += .bigEndian(Self.imageHeaderLength + image.data.count, 4)
      blocks += [image.position, image.viewCount, image.viewNumber, image.quality, image.impressionType]
      blocks += .bigEndian(Int(image.width), 2) + .bigEndian(Int(image.height), 2) + [0]
      blocks += image.data
    }
    var bytes = Self.formatIdentifier + Self.version + .bigEndian(Self.headerLength + blocks.count, 6)
    bytes += .bigEndian(Int(captureDevice), 2) + .bigEndian(Int(acquisitionLevel), 2)
    bytes += [UInt8(clamping: images.count), scaleUnits]
    for number in scanResolution.prefix(2) + imageResolution.prefix(2) { bytes += .bigEndian(Int(number), 2) }
    return bytes + [pixelDepth, compression, 0, 0] + blocks
  }
}
