import TesseraSmartCard

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
