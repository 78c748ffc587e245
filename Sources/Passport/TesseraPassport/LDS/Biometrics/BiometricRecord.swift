import TesseraSmartCard

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

/// The biometric header template `A1` of a biometric information template: the CBEFF patron format of ISO/IEC 7816-11
/// (Doc 9303-10, 4.7.2.1). The elements keep their order.
public struct BiometricHeader: Sendable, Hashable {
  public struct Element: Sendable, Hashable {
    public var tag: UInt32
    public var value: [UInt8]

    package init(_ tag: UInt32, _ value: [UInt8]) {
      self.tag = tag
      self.value = value
    }
  }

  public var elements: [Element]

  package init(_ elements: [Element]) { self.elements = elements }

  /// Version 0101 of the header, the type, format owner ISO/IEC JTC 1/SC 37 (0101), and the format.
  package init(type: UInt8, format: UInt16) {
    elements = [
      Element(0x80, [0x01, 0x01]), Element(0x81, [type]), Element(0x87, [0x01, 0x01]),
      Element(0x88, .bigEndian(Int(format), 2)),
    ]
  }

  init(_ element: FileElement) throws(FileFinding) {
    elements = try element.parts().objects.map { Element($0.tag, Array($0.value)) }
  }

  public subscript(tag: UInt32) -> [UInt8]? { elements.first { $0.tag == tag }?.value }

  /// Facial features 02, fingerprint 08, iris 10.
  public var type: [UInt8]? { self[0x81] }
  /// The finger or the eye (ISO/IEC 7816-11, table C.2).
  public var subtype: [UInt8]? { self[0x82] }
  /// `YYYYMMDDhhmmss`, packed.
  public var creationTime: [UInt8]? { self[0x83] }
  public var formatOwner: [UInt8]? { self[0x87] }
  public var formatType: [UInt8]? { self[0x88] }

  var encoded: [UInt8] { BERTLV.encode(0xA1, elements.flatMap { BERTLV.encode($0.tag, $0.value) }) }
}
