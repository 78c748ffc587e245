/// DG3: the fingers (Doc 9303-10, 4.7.3). Open only after Terminal Authentication. The images stay as they came: WSQ is
/// told by its header and not decoded.
public struct DataGroup3: Sendable, Equatable {
  /// The record of one template.
  public enum FingerBlock: Sendable, Hashable {
    case iso19794(FingerRecord)
    case iso39794(FingerImageBlock)

    /// Number of images.
    public var count: Int {
      switch self {
      case .iso19794(let record): record.images.count
      case .iso39794(let block): block.representations.count
      }
    }
  }

  /// None where the holder gave no fingers.
  public var templates: [BiometricTemplate<FingerBlock>]
  /// What the file states and does not hold. Empty for a group that was built.
  public private(set) var findings: [FileFinding] = []

  public init(templates: [BiometricTemplate<FingerBlock>]) { self.templates = templates }

  /// The IBIA's number of ISO/IEC 19794-4:2005.
  public static let fingerRecord: UInt16 = 0x0007

  /// One template for each record.
  public init(records: [FingerRecord]) {
    templates = records.map {
      BiometricTemplate(header: BiometricHeader(type: 0x08, format: Self.fingerRecord), block: .iso19794($0))
    }
  }

  /// Number of finger images.
  public var count: Int { templates.reduce(0) { $0 + $1.block.count } }

  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) {
    let group = try BiometricGroup<FingerBlock>(.dg3, file)
    templates = group.templates
    findings = group.findings
  }

  public var encoded: [UInt8] { BiometricGroup.encode(.dg3, templates) }
}

extension DataGroup3.FingerBlock: BiometricBlock {
  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    if element.value.starts(with: FingerRecord.formatIdentifier) {
      self = .iso19794(try FingerRecord(element, &findings))
    } else {
      self = .iso39794(try FingerImageBlock(element, &findings))
    }
  }

  var encoded: [UInt8] {
    switch self {
    case .iso19794(let record): record.encoded
    case .iso39794(let block): block.encoded
    }
  }

  var isConstructed: Bool {
    if case .iso39794 = self { true } else { false }
  }
}
