/// The extensions of a certificate or of a revocation list, undecoded (RFC 5280, 4.1.2.9).
struct CertificateExtensions: Sendable {
  struct Entry: Sendable {
    /// The content octets of the object identifier.
    let identifier: ArraySlice<UInt8>
    let isCritical: Bool
    let value: ArraySlice<UInt8>
  }

  private let entries: [Entry]

  /// - Parameter field: the explicitly tagged `Extensions`; nil for none.
  /// - Throws: `CryptographyError.malformed`, also if an extension occurs twice.
  init(_ field: DERValue?) throws {
    guard let field else {
      self.init(entries: [])
      return
    }
    var outer = field.elements
    let list = try outer.next(DERValue.Tag.sequence, "extensions")
    guard outer.isEmpty else { throw CryptographyError.malformed("extensions") }
    try self.init(list: list)
  }

  /// - Parameter list: `Extensions`.
  /// - Throws: `CryptographyError.malformed`, also if an extension occurs twice.
  init(list: DERValue) throws {
    var list = list.elements
    var entries: [Entry] = []
    while !list.isEmpty {
      var parts = try list.next(DERValue.Tag.sequence, "extension").elements
      let identifier = try parts.next(DERValue.Tag.objectIdentifier, "extension").content
      let critical = try parts.nextIf(0x01, "extension")
      let value = try parts.next(DERValue.Tag.octetString, "extension").content
      guard !entries.contains(where: { $0.identifier == identifier }) else {
        throw CryptographyError.malformed("an extension that occurs twice")
      }
      entries.append(
        Entry(identifier: identifier, isCritical: critical?.content.first.map { $0 != 0 } ?? false, value: value))
      guard entries.count <= 64 else { throw CryptographyError.malformed("too many extensions") }
    }
    self.init(entries: entries)
  }

  private init(entries: [Entry]) { self.entries = entries }

  subscript(identifier: [UInt8]) -> Entry? { entries.first { $0.identifier.elementsEqual(identifier) } }

  /// Dotted.
  var critical: [String] {
    entries.filter(\.isCritical).map { DERValue.dotted($0.identifier) ?? "?" }
  }
}

/// Identifiers of extensions, as content octets.
package enum ExtensionIdentifier {
  /// 2.5.29.n.
  static func standard(_ number: UInt8) -> [UInt8] { [0x55, 0x1D, number] }

  static let subjectKeyIdentifier = standard(14)
  static let keyUsage = standard(15)
  static let basicConstraints = standard(19)
  static let privateKeyUsagePeriod = standard(16)
  static let revocationListNumber = standard(20)
  static let reasonCode = standard(21)
  static let deltaIndicator = standard(27)
  static let issuingDistributionPoint = standard(28)
  static let authorityKeyIdentifier = standard(35)
  static let extendedKeyUsage = standard(37)
  /// `id-icao-mrtd-security-extensions-nameChange` (Doc 9303-12, 7.1.1).
  static let nameChange: [UInt8] = [0x67, 0x81, 0x08, 0x01, 0x01, 0x06, 0x01]
  /// `id-icao-mrtd-security-extensions-documentTypeList`.
  static let documentTypeList: [UInt8] = [0x67, 0x81, 0x08, 0x01, 0x01, 0x06, 0x02]
}
