import SmartCard

/// What stands in a biometric data block: a record of one of the formats that a data group may hold.
protocol BiometricBlock: Sendable, Hashable {
  /// - Parameter findings: takes what the block states and does not hold.
  /// - Throws: what makes it unreadable.
  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding)
  var encoded: [UInt8] { get }
  /// Of the tag `7F2E` and not `5F2E`, since it consists of data objects itself.
  var isConstructed: Bool { get }
}

/// A biometric information template `7F60`: a header and a data block.
public struct BiometricTemplate<Block: Sendable & Hashable>: Sendable, Hashable {
  public var header: BiometricHeader
  public var block: Block

  public init(header: BiometricHeader, block: Block) {
    self.header = header
    self.block = block
  }
}

/// The biometric information group template `7F61` that fills DG2, DG3 and DG4 (Doc 9303-10, 4.7.2 to 4.7.4).
struct BiometricGroup<Block: BiometricBlock> {
  /// Those that can be read.
  let templates: [BiometricTemplate<Block>]
  /// The place of each in the file, from 1.
  let numbers: [Int]
  let findings: [FileFinding]

  /// A template that cannot be read takes nothing from the others: what is wrong with it is a finding beside them.
  ///
  /// - Throws: the finding that makes the group unreadable: the first one, where no template can be read. A group without
  ///   any template is one (DG3 and DG4 of documents whose holder gave none).
  init(_ file: ElementaryFile, _ bytes: [UInt8]) throws(FileFinding) {
    let group = try FileElement(file, bytes).parts().required(0x7F61, "biometric information group template").parts()
    var templates: [BiometricTemplate<Block>] = []
    var findings: [FileFinding] = []
    let elements = FileParts(owner: try FileElement(file, bytes), objects: group.objects)
      .all(0x7F60, "biometric information template")
    var numbers: [Int] = []
    var broken: FileFinding?
    for (index, element) in elements.enumerated() {
      do {
        templates.append(try Self.template(element, &findings))
        numbers.append(index + 1)
      } catch {
        broken = broken ?? error
        findings.append(error)
      }
    }
    if templates.isEmpty, let broken { throw broken }
    self.templates = templates
    self.numbers = numbers
    self.findings = group.countFindings("number of instances", found: elements.count) + findings
  }

  private static func template(
    _ element: FileElement, _ findings: inout [FileFinding]
  ) throws(FileFinding) -> BiometricTemplate<Block> {
    let parts = try element.parts()
    let header = try parts.first(0xA1, "biometric header template").map(Self.header) ?? BiometricHeader([])
    // ISO/IEC 7816-11 gives the constructed tag to blocks of data objects; issuers do not always follow.
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
