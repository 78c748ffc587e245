/// A facial record of ISO/IEC 19794-5:2005, the format that Doc 9303-10 prescribes for documents issued before 2030.
/// Numeric codes are those of the standard's tables.
public struct FacialRecord: Sendable, Hashable {
  /// One facial image with its attributes (ISO/IEC 19794-5, 5.5 to 5.7).
  public struct Entry: Sendable, Hashable {
    public struct FeaturePoint: Sendable, Hashable {
      public var type: UInt8
      /// Major part in the upper, minor part in the lower four bits.
      public var code: UInt8
      public var x: UInt16
      public var y: UInt16

      package init(type: UInt8 = 1, code: UInt8, x: UInt16, y: UInt16) {
        self.type = type
        self.code = code
        self.x = x
        self.y = y
      }
    }

    /// Yaw, pitch, roll.
    public struct Angles: Sendable, Hashable {
      public var yaw: UInt8
      public var pitch: UInt8
      public var roll: UInt8

      package init(yaw: UInt8 = 0, pitch: UInt8 = 0, roll: UInt8 = 0) {
        self.yaw = yaw
        self.pitch = pitch
        self.roll = roll
      }
    }

    /// The image, with the size stated in the record; each side is at most 65,535.
    public var image: FacialImage
    // 0 means unspecified.
    public var gender: UInt8 = 0
    public var eyeColour: UInt8 = 0
    public var hairColour: UInt8 = 0
    /// 24 bits.
    public var featureMask: UInt32 = 0
    public var expression: UInt16 = 0
    public var poseAngle = Angles()
    public var poseAngleUncertainty = Angles()
    public var featurePoints: [FeaturePoint] = []
    /// Basic 0, full frontal 1, token frontal 2.
    public var imageType: UInt8 = 1
    /// JPEG 0, JPEG 2000 1.
    public var dataType: UInt8
    /// 24-bit sRGB 1.
    public var colourSpace: UInt8 = 1
    public var sourceType: UInt8 = 0
    public var deviceType: UInt16 = 0
    public var quality: UInt16 = 0

    package init(image: FacialImage) {
      self.image = image
      dataType = image.format == .jpeg2000 ? 1 : 0
    }
  }

  public var entries: [Entry]

  package init(entries: [Entry]) { self.entries = entries }

  /// `FAC`.
  static let formatIdentifier: [UInt8] = [0x46, 0x41, 0x43, 0x00]
  /// `010`.
  private static let version: [UInt8] = [0x30, 0x31, 0x30, 0x00]

  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    let record = element.part("facial record", element.value)
    var fields = ByteFields(record)
    // ISO/IEC 19794-5, 5.4: format identifier, version, length of the record, number of images
    guard try fields.bytes(4, "format identifier").elementsEqual(Self.formatIdentifier) else {
      throw record.finding("format identifier", .malformed("is not that of ISO/IEC 19794-5"))
    }
    let version = Array(try fields.bytes(4, "version number"))
    try Self.check(version, isNot: "030", of: "ISO/IEC 19794-5", record)
    let length: UInt32 = try fields.number("length of record")
    if Int(length) != element.value.count {
      findings.append(
        record.finding("length of record", .length(stated: Int(length), found: element.value.count)))
    }
    let count: UInt16 = try fields.number("number of facial images")
    entries = []
    // Every image takes at least 32 bytes, so a false count soon exceeds the data.
    for number in 0..<Int(count) {
      guard number < FileElement.maximumParts else { throw record.finding(.tooMany(limit: FileElement.maximumParts)) }
      do {
        entries.append(try Entry(&fields, record, number + 1, &findings))
      } catch {
        // The start of the next image is unknown. The images before it remain valid.
        guard !entries.isEmpty else { throw error }
        findings.append(error)
        break
      }
    }
  }

  var encoded: [UInt8] {
    let blocks = entries.flatMap(\.encoded)
    let head = Self.formatIdentifier + Self.version
    return head + .bigEndian(head.count + 6 + blocks.count, 4) + .bigEndian(entries.count, 2) + blocks
  }
}

extension FacialRecord.Entry {
  /// Length of the facial information block and the image information block.
  private static let fixedLength = 20 + 12

  fileprivate init(
    _ record: inout ByteFields, _ owner: FileElement, _ number: Int, _ findings: inout [FileFinding]
  ) throws(FileFinding) {
    let element = owner.part("facial image \(number)", record.rest)
    var fields = ByteFields(element)
    let blockLength: UInt32 = try fields.number("block length")
    let featurePointCount: UInt16 = try fields.number("number of feature points")
    let dataLength = Int(blockLength) - Self.fixedLength - Int(featurePointCount) * 8
    guard dataLength > 0 else { throw element.finding("block length", .malformed("leaves no bytes for the image")) }

    gender = try fields.number("gender")
    eyeColour = try fields.number("eye colour")
    hairColour = try fields.number("hair colour")
    featureMask = UInt32(truncatingIfNeeded: try fields.number(bytes: 3, "feature mask"))
    expression = try fields.number("expression")
    poseAngle = try Angles(&fields, "pose angle")
    poseAngleUncertainty = try Angles(&fields, "pose angle uncertainty")
    for _ in 0..<Int(featurePointCount) {
      featurePoints.append(
        FeaturePoint(
          type: try fields.number("feature point"), code: try fields.number("feature point"),
          x: try fields.number("feature point"), y: try fields.number("feature point")))
      _ = try fields.bytes(2, "feature point")  // reserved
    }
    imageType = try fields.number("face image type")
    dataType = try fields.number("image data type")
    let width: UInt16 = try fields.number("width")
    let height: UInt16 = try fields.number("height")
    colourSpace = try fields.number("image colour space")
    sourceType = try fields.number("source type")
    deviceType = try fields.number("device type")
    quality = try fields.number("quality")
    image = FacialImage(
      data: Array(try fields.bytes(dataLength, "image")), width: Int(width), height: Int(height))
    findings += StatedImageProperties(
      element: element, formats: [dataType == 0 ? .jpeg : .jpeg2000], width: Int(width), height: Int(height)
    ).findings(image.data)
    _ = try record.bytes(Int(blockLength), "facial image \(number)")
  }

  fileprivate var encoded: [UInt8] {
    var bytes: [UInt8] = .bigEndian(Self.fixedLength + featurePoints.count * 8 + image.data.count, 4)
    bytes += .bigEndian(featurePoints.count, 2)
    bytes += [gender, eyeColour, hairColour]
    bytes += .bigEndian(Int(featureMask), 3) + .bigEndian(Int(expression), 2)
    bytes += poseAngle.encoded + poseAngleUncertainty.encoded
    for point in featurePoints {
      bytes += [point.type, point.code] + .bigEndian(Int(point.x), 2) + .bigEndian(Int(point.y), 2) + [0, 0]
    }
    bytes += [imageType, dataType]
    bytes += .bigEndian(Int(UInt16(clamping: image.width)), 2) + .bigEndian(Int(UInt16(clamping: image.height)), 2)
    bytes += [colourSpace, sourceType] + .bigEndian(Int(deviceType), 2) + .bigEndian(Int(quality), 2)
    return bytes + image.data
  }
}

extension FacialRecord.Entry.Angles {
  fileprivate init(_ fields: inout ByteFields, _ name: String) throws(FileFinding) {
    yaw = try fields.number(name)
    pitch = try fields.number(name)
    roll = try fields.number(name)
  }

  fileprivate var encoded: [UInt8] { [yaw, pitch, roll] }
}
