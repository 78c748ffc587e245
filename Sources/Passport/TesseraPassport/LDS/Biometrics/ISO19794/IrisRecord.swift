/// An iris image record of ISO/IEC 19794-6:2005. Numeric codes are those of the standard's tables.
public struct IrisRecord: Sendable, Hashable {
  public struct Image: Sendable, Hashable {
    public var number: UInt16
    public var quality: UInt8 = 0xFE
    public var rotationAngle: UInt16 = 0
    public var rotationUncertainty: UInt16 = 0xFFFF
    /// The image file as stored on the chip.
    public var data: [UInt8]

    package init(number: UInt16, data: [UInt8]) {
      self.number = number
      self.data = data
    }
  }

  /// One eye.
  public struct Eye: Sendable, Hashable {
    /// Undefined 0, right 1, left 2.
    public var position: UInt8
    public var images: [Image]

    package init(position: UInt8, images: [Image]) {
      self.position = position
      self.images = images
    }
  }

  public var captureDevice: UInt16 = 0
  /// Bits for orientation, scan type, occlusions and boundaries.
  public var properties: UInt16 = 0
  public var irisDiameter: UInt16 = 0
  /// Grey raw 2, colour raw 4, grey JPEG 6, colour JPEG 8, JPEG-LS 10 and 12, JPEG 2000 14 and 16.
  public var imageFormat: UInt16
  /// In pixels; 0 if not stated.
  public var width: UInt16 = 0
  public var height: UInt16 = 0
  public var intensityDepth: UInt8 = 8
  public var transformation: UInt8 = 0
  /// 16 bytes.
  public var deviceUniqueIdentifier = [UInt8](repeating: 0, count: 16)
  public var eyes: [Eye]

  package init(imageFormat: UInt16, eyes: [Eye]) {
    self.imageFormat = imageFormat
    self.eyes = eyes
  }

  public var images: [Image] { eyes.flatMap(\.images) }

  /// `IIR`.
  static let formatIdentifier: [UInt8] = [0x49, 0x49, 0x52, 0x00]
  /// `010`.
  private static let version: [UInt8] = [0x30, 0x31, 0x30, 0x00]
  private static let headerLength = 45

  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    let record = element.part("iris image record", element.value)
    var fields = ByteFields(record)
    guard try fields.bytes(4, "format identifier").elementsEqual(Self.formatIdentifier) else {
      throw record.finding("format identifier", .malformed("is not that of ISO/IEC 19794-6"))
    }
    let version = Array(try fields.bytes(4, "version number"))
    try Self.check(version, isNot: "020", of: "ISO/IEC 19794-6", record)
    let length: UInt32 = try fields.number("record length")
    if Int(length) != element.value.count {
      findings.append(record.finding("record length", .length(stated: Int(length), found: element.value.count)))
    }
    captureDevice = try fields.number("capture device ID")
    let count: UInt8 = try fields.number("number of eyes")
    let headerLength: UInt16 = try fields.number("record header length")
    if Int(headerLength) != Self.headerLength {
      findings.append(
        record.finding("record header length", .length(stated: Int(headerLength), found: Self.headerLength)))
    }
    properties = try fields.number("iris properties")
    irisDiameter = try fields.number("iris diameter")
    imageFormat = try fields.number("image format")
    width = try fields.number("raw image width")
    height = try fields.number("raw image height")
    intensityDepth = try fields.number("intensity depth")
    transformation = try fields.number("image transformation")
    deviceUniqueIdentifier = Array(try fields.bytes(16, "device unique identifier"))
    eyes = []
    var read = 0
    for number in 0..<Int(count) {
      var eye = Eye(position: try fields.number("eye \(number + 1)"), images: [])
      let images: UInt16 = try fields.number("eye \(number + 1), number of images")
      for _ in 0..<Int(images) {
        guard read < FileElement.maximumParts else { throw record.finding(.tooMany(limit: FileElement.maximumParts)) }
        eye.images.append(try Self.image(&fields))
        read += 1
      }
      eyes.append(eye)
    }
    let statedFormats: [UInt16: ImageFormat] = [6: .jpeg, 8: .jpeg, 14: .jpeg2000, 16: .jpeg2000]
    if let format = statedFormats[imageFormat] {
      for (index, image) in images.enumerated() {
        findings += StatedImageProperties(
          element: record.part("iris image \(index + 1)", []), formats: [format], width: Int(width),
          height: Int(height)
        ).findings(image.data)
      }
    }
  }

  private static func image(_ fields: inout ByteFields) throws(FileFinding) -> Image {
    var image = Image(number: try fields.number("image number"), data: [])
    image.quality = try fields.number("image quality")
    image.rotationAngle = try fields.number("rotation angle")
    image.rotationUncertainty = try fields.number("rotation uncertainty")
    let length: UInt32 = try fields.number("image length")
    image.data = Array(try fields.bytes(Int(length), "iris image"))
    return image
  }

  var encoded: [UInt8] {
    var blocks: [UInt8] = []
    for eye in eyes {
      blocks += [eye.position] + .bigEndian(eye.images.count, 2)
      for image in eye.images {
        blocks += .bigEndian(Int(image.number), 2) + [image.quality] + .bigEndian(Int(image.rotationAngle), 2)
        blocks += .bigEndian(Int(image.rotationUncertainty), 2) + .bigEndian(image.data.count, 4) + image.data
      }
    }
    var bytes = Self.formatIdentifier + Self.version + .bigEndian(Self.headerLength + blocks.count, 4)
    bytes += .bigEndian(Int(captureDevice), 2) + [UInt8(clamping: eyes.count)] + .bigEndian(Self.headerLength, 2)
    for field in [properties, irisDiameter, imageFormat, width, height] { bytes += .bigEndian(Int(field), 2) }
    bytes += [intensityDepth, transformation]
    bytes += deviceUniqueIdentifier.prefix(16) + [UInt8](repeating: 0, count: max(0, 16 - deviceUniqueIdentifier.count))
    return bytes + blocks
  }
}
