import TesseraSmartCard

/// DG2: the face. Biometric information templates of ISO/IEC 7816-11 (Doc 9303-10, 4.7.2), each with one or more
/// images.
public struct DataGroup2: Sendable, Equatable {
  /// The record of one template.
  public typealias FaceBlock = BiometricRecord<FacialRecord, FaceImageBlock>

  public var templates: [BiometricTemplate<FaceBlock>]
  /// The inconsistencies in the file. Empty for a group that was created in memory.
  public private(set) var findings: [FileFinding] = []

  package init(templates: [BiometricTemplate<FaceBlock>]) { self.templates = templates }

  /// Creates one template with all faces in one ISO/IEC 19794-5 record, without further attributes.
  package init(faces: [FacialImage]) {
    let record = FacialRecord(entries: faces.map { FacialRecord.Entry(image: $0) })
    templates = [
      BiometricTemplate(header: BiometricHeader(type: 0x02, format: Self.facialRecord), block: .iso19794(record))
    ]
  }

  /// Format types in the registry of the IBIA, both of ISO/IEC JTC 1/SC 37.
  package static let facialRecord: UInt16 = 0x0008
  package static let faceImageBlock: UInt16 = 0x002A

  public var faces: [FacialImage] { templates.flatMap(\.block.faces) }

  /// The portrait of the holder: the first image.
  public var portrait: FacialImage? { faces.first }

  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) {
    let group = try BiometricGroup<FaceBlock>(.dg2, file)
    templates = group.templates
    findings = group.findings
    let count = faces.count
    guard count > 0 else { throw FileFinding(.dg2, "facial image", .missing) }
    // The limit applies to each template and to all of them together.
    guard count <= FileElement.maximumParts else {
      throw FileFinding(.dg2, "facial images", .tooMany(limit: FileElement.maximumParts))
    }
    for (number, template) in zip(group.numbers, templates) {
      findings += Self.formatFindings(template, number)
    }
  }

  /// Compares the format type in the header with the actual format.
  private static func formatFindings(_ template: BiometricTemplate<FaceBlock>, _ number: Int) -> [FileFinding] {
    let expected: UInt16
    switch template.block {
    case .iso19794: expected = facialRecord
    case .iso39794: expected = faceImageBlock
    }
    guard let type = template.header.formatType, type != .bigEndian(Int(expected), 2) else { return [] }
    return [
      FileFinding(
        .dg2, "biometric information template \(number), format type",
        .malformed("is not that of the \(template.block.standard) record that follows"))
    ]
  }

  package var encoded: [UInt8] { BiometricGroup.encode(.dg2, templates) }
}

extension FacialRecord: ISO19794Record {
  var imageCount: Int { entries.count }
}

extension FaceImageBlock: ISO39794DataBlock {
  var imageCount: Int { representations.count }
}

extension BiometricRecord where Record == FacialRecord, Block == FaceImageBlock {
  public var faces: [FacialImage] {
    switch self {
    case .iso19794(let record): record.entries.map(\.image)
    case .iso39794(let block): block.representations.map(\.face)
    }
  }

  /// `ISO/IEC 19794-5` or `ISO/IEC 39794-5`.
  public var standard: String {
    switch self {
    case .iso19794: "ISO/IEC 19794-5"
    case .iso39794: "ISO/IEC 39794-5"
    }
  }
}

/// One image of the holder's face, from a record of any format.
public struct FacialImage: Sendable, Hashable {
  public typealias Format = ImageFormat

  /// The image file as stored on the chip.
  public var data: [UInt8]
  /// Width and height in pixels as stated in the record; 0 if the record does not state them.
  public var width: Int
  public var height: Int

  package init(data: [UInt8], width: Int, height: Int) {
    self.data = data
    self.width = width
    self.height = height
  }

  /// The format detected from the first bytes of the image. The format stated in the record is not trusted.
  public var format: Format { ImageFormat(data) }

  /// The size in the image header; the size in the record if the header cannot be read.
  public var size: ImageSize { (try? ImageHeader(data))?.size ?? ImageSize(width: width, height: height) }
}

extension LogicalDataStructure {
  public var dataGroup2: Result<DataGroup2, FileFinding>? { dataGroup(2) }
}
