/// A data group of Doc 9303-10: its tag, and what its file is parsed as.
struct DataGroupKind: Sendable {
  /// All data groups, in the order of their numbers (Doc 9303-10, 4.6.1).
  static let all = [
    DataGroupKind(0x61, DataGroup1.init(_:)),
    DataGroupKind(0x75, DataGroup2.init(_:)) { $0.findings },
    DataGroupKind(0x63, DataGroup3.init(_:)) { $0.findings },
    DataGroupKind(0x76, DataGroup4.init(_:)) { $0.findings },
    DataGroupKind(0x65, DisplayedImages.portraits) { $0.findings },
    DataGroupKind(0x66),
    DataGroupKind(0x67, DisplayedImages.signatures) { $0.findings },
    DataGroupKind(0x68),
    DataGroupKind(0x69),
    DataGroupKind(0x6A),
    DataGroupKind(0x6B, DataGroup11.init(_:)) { $0.findings },
    DataGroupKind(0x6C, DataGroup12.init(_:)) { $0.findings },
    DataGroupKind(0x6D),
    DataGroupKind(0x6E, DataGroup14.init(_:)),
    DataGroupKind(0x6F, DataGroup15.init(_:)),
    DataGroupKind(0x70, DataGroup16.init(_:)) { $0.findings },
  ]

  let tag: UInt32
  /// nil if the file is only stored.
  let parse: (@Sendable ([UInt8]) -> ParsedDataGroup)?

  private init(_ tag: UInt32) { (self.tag, parse) = (tag, nil) }

  /// A group that the verification examines.
  private init<Group: Sendable>(_ tag: UInt32, _ read: @escaping @Sendable ([UInt8]) throws(PassportError) -> Group) {
    self.tag = tag
    parse = { file in ParsedDataGroup(Result { () throws(PassportError) in try read(file) }, findings: []) }
  }

  /// A group whose inconsistencies are collected. An unreadable file has one.
  private init<Group: Sendable>(
    _ tag: UInt32, _ read: @escaping @Sendable ([UInt8]) throws(FileFinding) -> Group,
    findings: @escaping @Sendable (Group) -> [FileFinding]
  ) {
    self.tag = tag
    parse = { file in
      let group = Result { () throws(FileFinding) in try read(file) }
      return switch group {
      case .success(let content): ParsedDataGroup(group, findings: findings(content))
      case .failure(let finding): ParsedDataGroup(group, findings: [finding])
      }
    }
  }
}

/// The file of a data group after parsing.
struct ParsedDataGroup: Sendable {
  /// A `Result` of the group's type, or of its error.
  let content: any Sendable
  let findings: [FileFinding]

  init<Group: Sendable, Problem>(_ content: Result<Group, Problem>, findings: [FileFinding]) {
    self.content = content
    self.findings = findings
  }
}
