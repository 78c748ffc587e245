/// `ImageRepresentation2DBlock` of ISO/IEC 39794-5.
public struct FaceImage2D: ISO39794Block {
  /// The image file as stored on the chip.
  public var data: [UInt8]
  public var information: FaceImageInformation
  /// White light 0, near infrared 1, thermal 2.
  public var captureSpectrum: FlagBlock?
  public var captureTechnology: ExtensibleCode?
  /// Whether the block of the two properties above is present.
  private var hasCaptureDevice = false

  package init(data: [UInt8], information: FaceImageInformation) {
    self.data = data
    self.information = information
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    data = try fields.required("representation data", fields.bytes(0, "representation data"))
    information = try fields.required("image information", fields.block(1, "image information"))
    if let device = try fields.fields(2, "capture device") {
      hasCaptureDevice = true
      captureSpectrum = try device.block(0, "spectrum")
      captureTechnology = try device.code(1, "technology")
    }
  }

  func write(_ writer: inout ContextWriter) {
    writer.bytes(0, data)
    writer.block(1, information)
    guard hasCaptureDevice || captureSpectrum != nil || captureTechnology != nil else { return }
    var device = ContextWriter()
    device.block(0, captureSpectrum)
    device.code(1, captureTechnology)
    writer.constructed(2, device.bytes)
  }

  func statedProperties(_ element: FileElement) -> StatedImageProperties {
    // Portable pixmaps 0 and 1, JPEG 2, JPEG 2000 lossy 3 and lossless 4, PNG 5.
    let formats: [Int: ImageFormat] = [2: .jpeg, 3: .jpeg2000, 4: .jpeg2000, 5: .png]
    return StatedImageProperties(
      element: element, formats: Set([formats[information.dataFormat.number]].compactMap { $0 }),
      width: information.width ?? 0, height: information.height ?? 0)
  }
}

/// `ImageInformation2DBlock`.
public struct FaceImageInformation: ISO39794Block {
  public var dataFormat: ExtensibleCode
  public var imageKind: ExtensibleCode?
  public var postAcquisitionProcessing: FlagBlock?
  public var lossyTransformations: ExtensibleCode?
  /// In millimetres.
  public var cameraToSubjectDistance: Int?
  public var sensorDiagonal: Int?
  public var lensFocalLength: Int?
  public var width: Int?
  public var height: Int?
  public var measurements: FaceMeasurements?
  public var colourSpace: ExtensibleCode?
  public var referenceColours: ReferenceColourMapping?

  package init(dataFormat: ExtensibleCode) { self.dataFormat = dataFormat }

  init(_ fields: ContextFields) throws(FileFinding) {
    dataFormat = try fields.required("image data format", fields.code(0, "image data format"))
    imageKind = try fields.code(1, "face image kind")
    postAcquisitionProcessing = try fields.block(2, "post-acquisition processing")
    lossyTransformations = try fields.code(3, "lossy transformation attempts")
    cameraToSubjectDistance = try fields.integer(4, "camera to subject distance")
    sensorDiagonal = try fields.integer(5, "sensor diagonal")
    lensFocalLength = try fields.integer(6, "lens focal length")
    if let size = try fields.fields(7, "image size") {
      width = try size.required("width", size.integer(0, "width"))
      height = try size.required("height", size.integer(1, "height"))
    }
    measurements = try fields.block(8, "face measurements")
    colourSpace = try fields.code(9, "colour space")
    referenceColours = try fields.block(10, "reference colour mapping")
  }

  func write(_ writer: inout ContextWriter) {
    writer.code(0, dataFormat)
    writer.code(1, imageKind)
    writer.block(2, postAcquisitionProcessing)
    writer.code(3, lossyTransformations)
    writer.integer(4, cameraToSubjectDistance)
    writer.integer(5, sensorDiagonal)
    writer.integer(6, lensFocalLength)
    if let width, let height {
      var size = ContextWriter()
      size.integer(0, width)
      size.integer(1, height)
      writer.constructed(7, size.bytes)
    }
    writer.block(8, measurements)
    writer.code(9, colourSpace)
    writer.block(10, referenceColours)
  }
}

/// In pixels.
public struct FaceMeasurements: ISO39794Block {
  public var headWidth: Int?
  public var interEyeDistance: Int?
  public var eyeToMouthDistance: Int?
  public var headLength: Int?

  package init() {}

  init(_ fields: ContextFields) throws(FileFinding) {
    headWidth = try fields.integer(0, "head width")
    interEyeDistance = try fields.integer(1, "inter-eye distance")
    eyeToMouthDistance = try fields.integer(2, "eye to mouth distance")
    headLength = try fields.integer(3, "head length")
  }

  func write(_ writer: inout ContextWriter) {
    writer.integer(0, headWidth)
    writer.integer(1, interEyeDistance)
    writer.integer(2, eyeToMouthDistance)
    writer.integer(3, headLength)
  }
}

public struct ReferenceColourMapping: ISO39794Block {
  public struct Colour: ISO39794Block {
    public var definition: [UInt8]?
    public var value: [UInt8]?

    package init(definition: [UInt8]?, value: [UInt8]?) {
      self.definition = definition
      self.value = value
    }

    init(_ fields: ContextFields) throws(FileFinding) {
      definition = fields.bytes(0, "definition")
      value = fields.bytes(1, "value")
    }

    func write(_ writer: inout ContextWriter) {
      writer.bytes(0, definition)
      writer.bytes(1, value)
    }
  }

  public var schema: [UInt8]?
  public var colours: [Colour]?

  package init(schema: [UInt8]?, colours: [Colour]?) {
    self.schema = schema
    self.colours = colours
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    schema = fields.bytes(0, "schema")
    colours = try fields.blocks(1, "colours")
  }

  func write(_ writer: inout ContextWriter) {
    writer.bytes(0, schema)
    writer.blocks(1, colours)
  }
}
