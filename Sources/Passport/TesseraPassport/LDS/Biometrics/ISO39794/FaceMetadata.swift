import TesseraSmartCard

/// `IdentityMetadataBlock` of ISO/IEC 39794-5: attributes of the holder.
public struct IdentityMetadata: ISO39794Block {
  public struct Angle: ISO39794Block {
    /// In degrees, -180 to 180.
    public var value: Int
    public var uncertainty: Int?

    package init(_ value: Int, uncertainty: Int? = nil) {
      self.value = value
      self.uncertainty = uncertainty
    }

    init(_ fields: ContextFields) throws(FileFinding) {
      value = try fields.required("angle", fields.integer(0, "angle"))
      uncertainty = try fields.integer(1, "uncertainty")
    }

    func write(_ writer: inout ContextWriter) {
      writer.integer(0, value)
      writer.integer(1, uncertainty)
    }
  }

  public struct PoseAngles: ISO39794Block {
    public var yaw: Angle?
    public var pitch: Angle?
    public var roll: Angle?

    package init(yaw: Angle?, pitch: Angle?, roll: Angle?) {
      self.yaw = yaw
      self.pitch = pitch
      self.roll = roll
    }

    init(_ fields: ContextFields) throws(FileFinding) {
      yaw = try fields.block(0, "yaw")
      pitch = try fields.block(1, "pitch")
      roll = try fields.block(2, "roll")
    }

    func write(_ writer: inout ContextWriter) {
      writer.block(0, yaw)
      writer.block(1, pitch)
      writer.block(2, roll)
    }
  }

  public var gender: ExtensibleCode?
  public var eyeColour: ExtensibleCode?
  public var hairColour: ExtensibleCode?
  /// In millimetres.
  public var subjectHeight: Int?
  /// Glasses 0, moustache 1, beard 2, teeth visible 3, …, head coverings 10.
  public var properties: FlagBlock?
  /// Neutral 0, smile 1, raised eyebrows 2, looking away 3, squinting 4, frowning 5.
  public var expression: FlagBlock?
  public var poseAngles: PoseAngles?

  package init() {}

  init(_ fields: ContextFields) throws(FileFinding) {
    gender = try fields.code(0, "gender")
    eyeColour = try fields.code(1, "eye colour")
    hairColour = try fields.code(2, "hair colour")
    subjectHeight = try fields.integer(3, "subject height")
    properties = try fields.block(4, "properties")
    expression = try fields.block(5, "expression")
    poseAngles = try fields.block(6, "pose angles")
  }

  func write(_ writer: inout ContextWriter) {
    writer.code(0, gender)
    writer.code(1, eyeColour)
    writer.code(2, hairColour)
    writer.integer(3, subjectHeight)
    writer.block(4, properties)
    writer.block(5, expression)
    writer.block(6, poseAngles)
  }
}

/// `LandmarkBlock`: a point of the face. Its kind is a deeply nested CHOICE, which is stored unparsed.
public struct FaceLandmark: ISO39794Block {
  /// The content of the CHOICE `LandmarkKind`, in DER.
  public var kind: [UInt8]
  /// The content of the CHOICE `LandmarkCoordinates`, in DER.
  public var coordinates: [UInt8]?

  package init(kind: [UInt8], coordinates: [UInt8]?) {
    self.kind = kind
    self.coordinates = coordinates
  }

  /// The position in the image in pixels, if the coordinates have this form.
  public var point: (x: Int, y: Int)? {
    guard let coordinates,
      let base = try? BERTLV.value(of: 0xA0, in: coordinates[...]),
      let plane = try? BERTLV.value(of: 0xA0, in: base),
      let fields = try? ContextFields(FileElement(.dg2, path: "landmark", value: plane)),
      let x = try? fields.integer(0, "x"), let y = try? fields.integer(1, "y")
    else { return nil }
    return (x, y)
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    kind = try fields.required("landmark kind", fields.bytes(0, "landmark kind"))
    coordinates = fields.bytes(1, "landmark coordinates")
  }

  func write(_ writer: inout ContextWriter) {
    writer.constructed(0, kind)
    writer.constructed(1, coordinates)
  }
}
