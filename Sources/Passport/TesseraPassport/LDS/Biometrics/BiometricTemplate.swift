import TesseraSmartCard

/// The content of a biometric data block: a record in one of the formats that the data group allows.
protocol BiometricBlock: Sendable, Hashable {
  /// - Parameter findings: receives the inconsistencies in the block.
  /// - Throws: the finding that makes the block unreadable.
  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding)
  var encoded: [UInt8] { get }
  /// Whether the tag is `7F2E` instead of `5F2E`, because the block consists of data objects.
  var isConstructed: Bool { get }
}

/// A biometric information template `7F60`: a header and a data block.
public struct BiometricTemplate<Block: Sendable & Hashable>: Sendable, Hashable {
  public var header: BiometricHeader
  public var block: Block

  package init(header: BiometricHeader, block: Block) {
    self.header = header
    self.block = block
  }
}

/// The biometric information group template `7F61` that fills DG2, DG3 and DG4 (Doc 9303-10, 4.7.2 to 4.7.4).
struct BiometricGroup<Block: BiometricBlock> {
  /// The readable templates.
  let templates: [BiometricTemplate<Block>]
  /// The position of each template in the file, from 1.
  let numbers: [Int]
  let findings: [FileFinding]

  /// Parses all templates. An unreadable template does not affect the others; its problem becomes a finding.
  ///
  /// - Throws: the finding that makes the group unreadable: that of the first template if none is readable. A group
  ///   without templates is valid (DG3 and DG4 of documents whose holder gave no fingers or irises).
  init(_ file: ElementaryFile, _ bytes: [UInt8]) throws(FileFinding) {
    let group = try FileElement(file, bytes).parts().required(0x7F61, "biometric information group template").parts()
    var templates: [BiometricTemplate<Block>] = []
    var findings: [FileFinding] = []
    let elements = FileParts(owner: try FileElement(file, bytes), objects: group.objects)
      .all(0x7F60, "biometric information template")
    var numbers: [Int] = []
    var firstError: FileFinding?
    for (index, element) in elements.enumerated() {
      do {
        templates.append(try Self.template(element, &findings))
        numbers.append(index + 1)
      } catch {
        firstError = firstError ?? error
        findings.append(error)
      }
    }
    if templates.isEmpty, let firstError { throw firstError }
    self.templates = templates
    self.numbers = numbers
    self.findings = group.countFindings("number of instances", found: elements.count) + findings
  }

  private static func template(
    _ element: FileElement, _ findings: inout [FileFinding]
  ) throws(FileFinding) -> BiometricTemplate<Block> {
    let parts = try element.parts()
    let header = try parts.first(0xA1, "biometric header template").map(Self.header) ?? BiometricHeader([])
    // ISO/IEC 7816-11 requires the constructed tag for blocks of data objects; some issuers use the primitive one.
    let data = parts.first(0x5F2E, "data block") ?? parts.first(0x7F2E, "data block")
    guard let data else { throw element.finding("data block", .missing) }
    return BiometricTemplate(header: header, block: try Block(data, &findings))
  }

  private static func header(_ element: FileElement) throws(FileFinding) -> BiometricHeader {
    try BiometricHeader(element)
  }

  static func encode(_ file: ElementaryFile, _ templates: [BiometricTemplate<Block>]) -> [UInt8] {
    let count = BERTLV.encode(0x02, [UInt8(clamping: templates.count)])
    let encoded = templates.flatMap { template in
      BERTLV.encode(
        0x7F60,
        template.header.encoded + BERTLV.encode(template.block.isConstructed ? 0x7F2E : 0x5F2E, template.block.encoded))
    }
    return BERTLV.encode(file.tag, BERTLV.encode(0x7F61, count + encoded))
  }
}
