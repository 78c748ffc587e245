import TesseraSmartCard

/// A `FaceImageDataBlock` of ISO/IEC 39794-5 in ICAO's application profile, the format of future documents (Doc
/// 9303-10, 4.7.2). The numbers of codes and flags are those of the standard's ASN.1 module.
public struct FaceImageBlock: Sendable, Hashable {
  public var version: FormatVersion
  /// At least one; the profile allows exactly one.
  public var representations: [FaceRepresentation]

  package init(version: FormatVersion = FormatVersion(), representations: [FaceRepresentation]) {
    self.version = version
    self.representations = representations
  }

  private static let tag: UInt32 = 0x65

  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    let block = try BiometricDataBlock(element, tag: Self.tag, name: "face image data block")
    version = block.version
    representations = []
    var errors: [FileFinding] = []
    for representation in block.representations {
      do {
        let face = try FaceRepresentation(try ContextFields(representation))
        representations.append(face)
        findings += face.image.statedProperties(representation).findings(face.image.data)
      } catch {
        errors.append(error)
      }
    }
    // A malformed representation does not affect the others.
    if representations.isEmpty, let first = errors.first { throw first }
    findings += errors
  }

  var encoded: [UInt8] {
    var writer = ContextWriter()
    writer.block(0, version)
    writer.blocks(1, representations)
    return BERTLV.encode(0xA1, BERTLV.encode(Self.tag, writer.bytes))
  }
}

/// One image with its attributes and those of the holder.
public struct FaceRepresentation: ISO39794Block {
  public var identifier: Int
  public var image: FaceImage2D
  public var captureTime: CaptureTime?
  public var quality: [AssessmentBlock]?
  public var attackDetection: AttackDetectionBlock?
  public var sessionIdentifier: Int?
  public var derivedFrom: Int?
  public var captureDevice: CaptureDeviceBlock?
  public var identity: IdentityMetadata?
  public var landmarks: [FaceLandmark]?

  package init(identifier: Int = 0, image: FaceImage2D) {
    self.identifier = identifier
    self.image = image
  }

  public var face: FacialImage {
    FacialImage(
      data: image.data, width: image.information.width ?? 0, height: image.information.height ?? 0)
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    identifier = try fields.required("representation id", fields.integer(0, "representation id"))
    // ImageRepresentation is a CHOICE whose base is another CHOICE; the profile excludes three-dimensional shapes.
    let representation = try fields.required(
      "image representation", fields.fields(1, "image representation")?.fields(0, "base"))
    image = try representation.required("two-dimensional image", representation.block(0, "two-dimensional image"))
    captureTime = try fields.block(2, "capture time")
    quality = try fields.blocks(3, "quality blocks")
    attackDetection = try fields.block(4, "attack detection")
    sessionIdentifier = try fields.integer(5, "session id")
    derivedFrom = try fields.integer(6, "derived from")
    captureDevice = try fields.block(7, "capture device")
    identity = try fields.block(8, "identity metadata")
    landmarks = try fields.blocks(9, "landmarks")
  }

  func write(_ writer: inout ContextWriter) {
    writer.integer(0, identifier)
    writer.constructed(1, BERTLV.encode(0xA0, BERTLV.encode(0xA0, ContextWriter.content(image))))
    writer.block(2, captureTime)
    writer.blocks(3, quality)
    writer.block(4, attackDetection)
    writer.integer(5, sessionIdentifier)
    writer.integer(6, derivedFrom)
    writer.block(7, captureDevice)
    writer.block(8, identity)
    writer.blocks(9, landmarks)
  }
}
