/// DG4: the irises (Doc 9303-10, 4.7.4). Open only after Terminal Authentication. The images stay as they came.
public struct DataGroup4: Sendable, Equatable {
  /// The record of one template.
  public enum IrisBlock: Sendable, Hashable {
    case iso19794(IrisRecord)
    case iso39794(IrisImageBlock)

    /// Number of images.
    public var count: Int {
      switch self {
      case .iso19794(let record): record.images.count
      case .iso39794(let block): block.representations.count
      }
    }
  }

  /// None where the holder gave no irises.
  public var templates: [BiometricTemplate<IrisBlock>]
  /// What the file states and does not hold. Empty for a group that was built.
  public private(set) var findings: [FileFinding] = []

  public init(templates: [BiometricTemplate<IrisBlock>]) { self.templates = templates }

  /// The IBIA's number of ISO/IEC 19794-6:2005.
  public static let irisRecord: UInt16 = 0x0009

  /// One template for each record.
  public init(records: [IrisRecord]) {
    templates = records.map {
      BiometricTemplate(header: BiometricHeader(type: 0x10, format: Self.irisRecord), block: .iso19794($0))
    }
  }

  /// Number of iris images.
  public var count: Int { templates.reduce(0) { $0 + $1.block.count } }

  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) {
    let group = try BiometricGroup<IrisBlock>(.dg4, file)
    templates = group.templates
    findings = group.findings
  }

  public var encoded: [UInt8] { BiometricGroup.encode(.dg4, templates) }
}

extension DataGroup4.IrisBlock: BiometricBlock {
  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    if element.value.starts(with: IrisRecord.formatIdentifier) {
      self = .iso19794(try IrisRecord(element, &findings))
    } else {
      self = .iso39794(try IrisImageBlock(element, &findings))
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
