/// The extensions that verification evaluates. A malformed one counts as absent, unless noted.
extension Certificate {
  /// `subjectKeyIdentifier` (RFC 5280, 4.2.1.2).
  package var subjectKeyIdentifier: ArraySlice<UInt8>? {
    extensionValue(ExtensionIdentifier.subjectKeyIdentifier)
      .flatMap { try? DERValue($0, "subjectKeyIdentifier") }
      .flatMap { $0.tag == DERValue.Tag.octetString ? $0.content : nil }
  }

  /// `keyIdentifier` of `authorityKeyIdentifier` (RFC 5280, 4.2.1.1).
  package var authorityKeyIdentifier: ArraySlice<UInt8>? {
    KeyIdentifier.authority(extensionValue(ExtensionIdentifier.authorityKeyIdentifier))
  }

  /// A use of a key (RFC 5280, 4.2.1.3), by the number of its bit.
  package enum KeyUsage: Int, Sendable {
    case digitalSignature = 0
    case certificateSigning = 5
    case revocationListSigning = 6
  }

  /// Whether `keyUsage` permits this use; nil without the extension.
  package func permits(_ usage: KeyUsage) -> Bool? {
    guard let value = extensionValue(ExtensionIdentifier.keyUsage) else { return nil }
    guard let bits = try? DERValue(value, "keyUsage"), bits.tag == DERValue.Tag.bitString else { return false }
    let octets = bits.content.dropFirst()
    let index = octets.startIndex + usage.rawValue / 8
    return octets.indices.contains(index) && octets[index] & (0x80 >> UInt8(usage.rawValue % 8)) != 0
  }

  /// The key purposes of `extendedKeyUsage`, dotted; nil without the extension.
  package var extendedKeyUsage: [String]? {
    guard let value = extensionValue(ExtensionIdentifier.extendedKeyUsage) else { return nil }
    guard let list = try? DERValue(value, "extendedKeyUsage") else { return [] }
    var purposes: [String] = []
    var elements = list.elements
    while let purpose = try? elements.next("extendedKeyUsage") {
      purposes.append((try? purpose.objectIdentifier("extendedKeyUsage")) ?? "?")
    }
    return purposes
  }

  /// `cA` of `basicConstraints`; nil without the extension.
  package var isAuthority: Bool? {
    guard let value = extensionValue(ExtensionIdentifier.basicConstraints) else { return nil }
    guard let constraints = try? DERValue(value, "basicConstraints") else { return false }
    var elements = constraints.elements
    guard let flag = try? elements.nextIf(0x01, "basicConstraints") else { return false }
    return flag.content.first.map { $0 != 0 } ?? false
  }

  /// The document codes that the signer may sign (Doc 9303-12, 7.1.1, `documentTypeList`); nil without the extension.
  package var documentTypes: [String]? {
    guard let value = extensionValue(ExtensionIdentifier.documentTypeList) else { return nil }
    guard let list = try? DERValue(value, "documentTypeList") else { return [] }
    var fields = list.elements
    _ = try? fields.nextIf(DERValue.Tag.integer, "documentTypeList")
    var types: [String] = []
    var elements = (try? fields.next(DERValue.Tag.set, "documentTypeList"))?.elements
    while let type = try? elements?.next("documentTypeList") {
      types.append(String(decoding: type.content, as: UTF8.self))
    }
    return types
  }

  /// Whether the certificate says that its authority changed its name (Doc 9303-12, 7.1.1, `nameChange`).
  package var statesNameChange: Bool { extensionValue(ExtensionIdentifier.nameChange) != nil }
}
