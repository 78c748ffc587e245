import TesseraSmartCard

/// A `FingerImageDataBlock` of ISO/IEC 39794-4: its parsed representations and the unchanged block.
public struct FingerImageBlock: Sendable, Hashable {
  /// The numbers of codes are those of the standard's ASN.1 module.
  public struct Representation: Sendable, Hashable {
    /// Unknown 0, right thumb 1 to left little 10, and more.
    public let position: Int
    public let impression: Int
    /// Portable greymap 0, WSQ 1, JPEG 2000 lossy 2 and lossless 3, PNG 4.
    public let dataFormat: Int
    public let data: [UInt8]
    public let captureTime: CaptureTime?

    public var format: ImageFormat { ImageFormat(data) }
  }

  public let version: FormatVersion
  public let representations: [Representation]
  /// The complete data block, which is written unchanged.
  public let encoded: [UInt8]

  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    let block = try BiometricDataBlock(element, tag: 0x64, name: "finger image data block")
    version = block.version
    encoded = Array(element.value)
    var representations: [Representation] = []
    let statedFormats: [Int: ImageFormat] = [1: .wsq, 2: .jpeg2000, 3: .jpeg2000, 4: .png]
    for part in block.representations {
      let fields = try ContextFields(part)
      let representation = Representation(
        position: try fields.required("position", fields.code(0, "position")).number,
        impression: try fields.required("impression", fields.code(1, "impression")).number,
        dataFormat: try fields.required("image data format", fields.code(2, "image data format")).number,
        data: try fields.required("image data", fields.bytes(3, "image data")),
        captureTime: try fields.block(4, "capture time"))
      representations.append(representation)
      if let format = statedFormats[representation.dataFormat] {
        findings += StatedImageProperties(element: part, formats: [format]).findings(representation.data)
      }
    }
    self.representations = representations
  }

  /// Creates a block for `BiometricTemplate`, for issuers.
  ///
  /// - Parameter encoded: the DER of the data block, with or without the object `A1` around it.
  /// - Throws: `FileFinding` of DG3.
  package init(encoded: [UInt8]) throws(FileFinding) {
    var findings: [FileFinding] = []
    try self.init(FileElement(.dg3, path: "", value: encoded[...]), &findings)
  }
}

/// The outer structure common to ISO/IEC 39794-4, -5 and -6: an application tag, a version, and representations.
struct BiometricDataBlock {
  let version: FormatVersion
  let representations: [FileElement]

  /// - Parameter tag: the application tag of that part of the standard.
  init(_ element: FileElement, tag: UInt32, name: String) throws(FileFinding) {
    // In DG2 to DG4 the block is in an object A1, the standardised biometric data of ISO/IEC 7816-11.
    var parts = try element.parts()
    if let wrapped = parts.first(0xA1, name) { parts = FileParts(owner: element, objects: try wrapped.parts().objects) }
    let fields = try ContextFields(try parts.required(tag, name))
    version = try fields.required("version block", fields.block(0, "version block"))
    representations = try fields.required("representation blocks", fields.list(1, "representation"))
    guard !representations.isEmpty else { throw fields.element.finding("representation blocks", .missing) }
  }
}

/// The version of a part of the standard. Generation 3 is the first edition.
public struct FormatVersion: ISO39794Block {
  public var generation: Int
  public var year: Int

  package init(generation: Int = 3, year: Int = 2019) {
    self.generation = generation
    self.year = year
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    generation = try fields.required("generation", fields.integer(0, "generation"))
    year = try fields.required("year", fields.integer(1, "year"))
  }

  func write(_ writer: inout ContextWriter) {
    writer.integer(0, generation)
    writer.integer(1, year)
  }
}
