#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The extensions that verification evaluates. A malformed one counts as absent, unless noted.
extension Certificate {
  /// `subjectKeyIdentifier` (RFC 5280, 4.2.1.2).
  package var subjectKeyIdentifier: ArraySlice<UInt8>? {
    extensionValue(ExtensionIdentifier.subjectKeyIdentifier)
      .flatMap { try? DERValue($0, "subjectKeyIdentifier") }
      .flatMap { $0.tag == DERValue.Tag.octetString ? $0.content : nil }
  }

  /// What the identifier of the key usually is, for a certificate that does not state it: SHA-1 of the key's bits (RFC
  /// 5280, 4.2.1.2, method 1).
  var computedKeyIdentifier: ArraySlice<UInt8>? {
    guard extensionValue(ExtensionIdentifier.subjectKeyIdentifier) == nil,
      var fields = try? DERValue(publicKeyInfo, "SubjectPublicKeyInfo").elements,
      (try? fields.next(DERValue.Tag.sequence, "algorithm")) != nil,
      let bits = try? fields.next("key").wholeOctets("key")
    else { return nil }
    return try? HashAlgorithm.sha1.digest(of: bits)[...]
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

  /// The document codes that the signer may sign (Doc 9303-12, 7.1.1, `documentTypeList`).
  package enum DocumentTypes: Sendable, Equatable {
    /// Without the extension, of every type.
    case all
    case some([String])
    /// What the extension says cannot be read.
    case malformed
  }

  package var documentTypes: DocumentTypes {
    guard let value = extensionValue(ExtensionIdentifier.documentTypeList) else { return .all }
    do {
      var fields = try DERValue(value, "documentTypeList").elements
      _ = try fields.nextIf(DERValue.Tag.integer, "documentTypeList")
      var types: [String] = []
      // One set of all types. Some issuers write a sequence in its place, a set for each type, or the types alone without a
      // version (ZeroPass/pymrtd, pki/x509.py: certificates of Moldova, China, Tanzania and the Philippines).
      while !fields.isEmpty {
        let field = try fields.next("documentTypeList")
        let isList = [DERValue.Tag.set, DERValue.Tag.sequence].contains(field.tag)
        var elements = isList ? field.elements : DERValue.Elements(rest: field.encoded)
        while !elements.isEmpty {
          let type = try elements.next("documentTypeList")
          guard Self.stringTags.contains(type.tag), let text = String(validating: type.content, as: UTF8.self) else {
            return .malformed
          }
          types.append(text)
        }
      }
      return .some(types)
    } catch {
      return .malformed
    }
  }

  /// OCTET STRING, UTF8String, PrintableString, TeletexString, IA5String and VisibleString.
  private static let stringTags: Set<UInt8> = [0x04, 0x0C, 0x13, 0x14, 0x16, 0x1A]

  /// When the private key may sign (RFC 3280, 4.2.1.4); the ends that the extension lacks are open.
  package var privateKeyUsage: ClosedRange<Date> {
    let ends = extensionValue(ExtensionIdentifier.privateKeyUsagePeriod)
      .flatMap { try? DERValue($0, "privateKeyUsagePeriod") }
    var fields = ends?.elements
    func next(_ number: UInt8) -> Date? {
      guard let field = try? fields?.nextIf(DERValue.Tag.implicit(number), "privateKeyUsagePeriod") else { return nil }
      return try? DERTime.date(generalizedTime: field.content)
    }
    let (start, end) = (next(0) ?? .distantPast, next(1) ?? .distantFuture)
    return start <= end ? start...end : .distantPast ... .distantFuture
  }

  /// Whether the certificate says that its authority changed its name (Doc 9303-12, 7.1.1, `nameChange`).
  package var statesNameChange: Bool { extensionValue(ExtensionIdentifier.nameChange) != nil }
}

/// The `keyIdentifier` of an authority key identifier, which certificates and revocation lists have.
enum KeyIdentifier {
  static func authority(_ value: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
    guard let value, let sequence = try? DERValue(value, "authorityKeyIdentifier") else { return nil }
    var elements = sequence.elements
    return (try? elements.nextIf(DERValue.Tag.implicit(0), "authorityKeyIdentifier"))?.content
  }
}
