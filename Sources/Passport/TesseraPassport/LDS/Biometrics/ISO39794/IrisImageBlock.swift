/// An `IrisImageDataBlock` of ISO/IEC 39794-6: its parsed representations and the unchanged block.
public struct IrisImageBlock: Sendable, Hashable {
  /// The numbers of codes are those of the standard's ASN.1 module.
  public struct Representation: Sendable, Hashable {
    /// Unknown 0, right 1, left 2.
    public let eye: Int
    /// Uncropped 1, VGA 2, cropped 3, cropped and masked 7.
    public let imageKind: Int
    public let bitDepth: Int
    /// Portable greymap 0 and pixmap 1, PNG 2, JPEG 2000 lossless 3 and lossy 4.
    public let dataFormat: Int
    public let data: [UInt8]

    public var format: ImageFormat { ImageFormat(data) }
  }

  public let version: FormatVersion
  public let representations: [Representation]
  /// The complete data block, which is written unchanged.
  public let encoded: [UInt8]

  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    let block = try BiometricDataBlock(element, tag: 0x66, name: "iris image data block")
    version = block.version
    encoded = Array(element.value)
    var representations: [Representation] = []
    let statedFormats: [Int: ImageFormat] = [2: .png, 3: .jpeg2000, 4: .jpeg2000]
    for part in block.representations {
      let fields = try ContextFields(part)
      let representation = Representation(
        eye: try fields.required("eye label", fields.code(0, "eye label")).number,
        imageKind: try fields.required("iris image kind", fields.code(1, "iris image kind")).number,
        bitDepth: try fields.required("bit depth", fields.integer(2, "bit depth")),
        dataFormat: try fields.required("image data format", fields.code(3, "image data format")).number,
        data: try fields.required("iris image data", fields.bytes(8, "iris image data")))
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
  /// - Throws: `FileFinding` of DG4.
  package init(encoded: [UInt8]) throws(FileFinding) {
    var findings: [FileFinding] = []
    try self.init(FileElement(.dg4, path: "", value: encoded[...]), &findings)
  }
}
