import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file of a key: header lines, then the private key and the public key in PEM. OpenSSL ignores the header lines.
struct KeyFile {
  static let largest = 65_536
  static let plainLabel = "PRIVATE KEY"
  static let encryptedLabel = "ENCRYPTED PRIVATE KEY"

  /// A random identifier, by which the Secret Service finds the secret of this key.
  var identifier: UUID
  var created: Date
  var protection: StoredKey.Protection
  /// The policy in a file of an earlier version. It applies until a policy is set for the name.
  var earlierConfirmation: ConfirmationPolicy?
  var publicKey: P256PublicKey
  /// `ENCRYPTED PRIVATE KEY`, `PRIVATE KEY` or `TSS2 PRIVATE KEY`.
  var label: String
  var privateKey: SecretBytes

  var text: SecretBytes {
    let header = """
      Tessera-Key: 1
      Id: \(identifier.uuidString.lowercased())
      Created: \(Timestamp(created).text)
      Protection: \(protection.rawValue)

      """
    return PEM.text(label, privateKey).joined(
      after: Array(header.utf8), before: Array(PEM.text("PUBLIC KEY", publicKey.subjectPublicKeyInfo).utf8))
  }

  init(
    identifier: UUID = UUID(), created: Date = .now, protection: StoredKey.Protection, publicKey: P256PublicKey,
    label: String, privateKey: SecretBytes
  ) {
    self.identifier = identifier
    self.created = created
    self.protection = protection
    self.publicKey = publicKey
    self.label = label
    self.privateKey = privateKey
  }

  /// - Throws: `KeyStoreError.damaged`.
  init(_ text: SecretBytes, _ name: KeyName) throws {
    func damaged(_ part: String) -> KeyStoreError { .damaged(name, part) }
    let header = Self.header(of: text)
    guard header["Tessera-Key"] == "1" else { throw damaged("its version is not supported") }
    guard let identifier = header["Id"].flatMap(UUID.init(uuidString:)) else { throw damaged("Id") }
    guard let date = header["Created"].flatMap({ Timestamp($0)?.date }) else {
      throw damaged("the date of creation")
    }
    guard let protection = header["Protection"].flatMap(StoredKey.Protection.init) else { throw damaged("Protection") }
    let confirmation = try header["Confirm"].map { text in
      guard let policy = ConfirmationPolicy(rawValue: text) else { throw damaged("Confirm") }
      return policy
    }
    guard let blocks = try? PEM.blocks(of: text), blocks.count == 2, blocks[1].label == "PUBLIC KEY" else {
      throw damaged("its PEM blocks")
    }
    let info = blocks[1].content.withUnsafeBytes { Array($0) }
    guard let publicKey = try? P256PublicKey(subjectPublicKeyInfo: info) else { throw damaged("the public key") }
    self.init(
      identifier: identifier, created: date, protection: protection, publicKey: publicKey, label: blocks[0].label,
      privateKey: blocks[0].content)
    earlierConfirmation = confirmation
  }

  /// The lines before the first PEM block. The rest may be secret and is not copied into a string.
  private static func header(of text: SecretBytes) -> [String: String] {
    text.withUnsafeBytes { bytes in
      var header: [String: String] = [:]
      for line in bytes.split(separator: UInt8(ascii: "\n")) {
        guard line.first != UInt8(ascii: "-") else { break }
        let parts = String(decoding: line, as: UTF8.self).split(separator: ": ", maxSplits: 1).map(String.init)
        if parts.count == 2 { header[parts[0]] = parts[1] }
      }
      return header
    }
  }
}

extension KeyFile {
  /// The encrypted private key.
  var envelope: EncryptedPrivateKey { EncryptedPrivateKey(der: privateKey.withUnsafeBytes { Array($0) }) }
}
