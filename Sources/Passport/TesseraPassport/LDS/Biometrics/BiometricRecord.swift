/// The record of one biometric information template, in one of two formats (Doc 9303-10, 4.7.2 to 4.7.4).
public enum BiometricRecord<Record: Sendable & Hashable, Block: Sendable & Hashable>: Sendable, Hashable {
  /// A record of ISO/IEC 19794.
  case iso19794(Record)
  /// A data block of ISO/IEC 39794.
  case iso39794(Block)
}

/// A record of ISO/IEC 19794.
protocol ISO19794Record: Sendable, Hashable {
  static var formatIdentifier: [UInt8] { get }
  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding)
  var encoded: [UInt8] { get }
  var imageCount: Int { get }
}

extension ISO19794Record {
  /// The editions of 2011 have another structure, which Doc 9303-10 does not permit. Other versions are read like 010: the
  /// structure decides.
  ///
  /// - Parameters:
  ///   - version: the version number in the header.
  ///   - later: the version number of the edition of 2011.
  ///   - standard: its name.
  static func check(
    _ version: [UInt8], isNot later: String, of standard: String, _ record: FileElement
  ) throws(FileFinding) {
    guard version.starts(with: later.utf8) else { return }
    throw record.finding(
      "version number", .malformed("is \(later), that of \(standard):2011, which Tessera does not support"))
  }
}

/// A data block of ISO/IEC 39794.
protocol ISO39794DataBlock: Sendable, Hashable {
  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding)
  var encoded: [UInt8] { get }
  var imageCount: Int { get }
}

extension BiometricRecord: BiometricBlock where Record: ISO19794Record, Block: ISO39794DataBlock {
  init(_ element: FileElement, _ findings: inout [FileFinding]) throws(FileFinding) {
    if element.value.starts(with: Record.formatIdentifier) {
      self = .iso19794(try Record(element, &findings))
    } else {
      self = .iso39794(try Block(element, &findings))
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

  var imageCount: Int {
    switch self {
    case .iso19794(let record): record.imageCount
    case .iso39794(let block): block.imageCount
    }
  }
}
