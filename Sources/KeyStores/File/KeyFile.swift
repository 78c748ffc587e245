import Cryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A key as a file: lines of facts, then the private key in its envelope, then the public key, both in PEM. The
/// tools of OpenSSL pass over the facts and read the rest.
struct KeyFile {
  static let largest = 65_536
  static let plainLabel = "PRIVATE KEY"
  static let encryptedLabel = "ENCRYPTED PRIVATE KEY"

  /// Random; finds what belongs to this very key elsewhere.
  var identifier: UUID
  var created: Date
  var protection: StoredKey.Protection
  /// Files once held the policy that now belongs to the name; there it counts where nothing else was decided since.
  var earlierConfirmation: ConfirmationPolicy?
  var publicKey: P256PublicKey
  /// `ENCRYPTED PRIVATE KEY`, `PRIVATE KEY` or `TSS2 PRIVATE KEY`.
  var label: String
  var privateKey: SecretBytes

  var text: SecretBytes {
    let facts = """
      Tessera-Key: 1
      Id: \(identifier.uuidString.lowercased())
      Created: \(Timestamp(created).text)
      Protection: \(protection.rawValue)

      """
    return PEM.text(label, privateKey).joined(
      after: Array(facts.utf8), before: Array(PEM.text("PUBLIC KEY", publicKey.subjectPublicKeyInfo).utf8))
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
    let facts = Self.facts(of: text)
    guard facts["Tessera-Key"] == "1" else { throw damaged("it is not a key file of a version known here") }
    guard let identifier = facts["Id"].flatMap(UUID.init(uuidString:)) else { throw damaged("Id") }
    guard let date = facts["Created"].flatMap({ Timestamp($0)?.date }) else {
      throw damaged("the date of creation")
    }
    guard let protection = facts["Protection"].flatMap(StoredKey.Protection.init) else { throw damaged("Protection") }
    let confirmation = try facts["Confirm"].map { text in
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

  /// The lines before the first PEM block; what follows may be secret and is not made a string.
  private static func facts(of text: SecretBytes) -> [String: String] {
    text.withUnsafeBytes { bytes in
      var facts: [String: String] = [:]
      for line in bytes.split(separator: UInt8(ascii: "\n")) {
        guard line.first != UInt8(ascii: "-") else { break }
        let parts = String(decoding: line, as: UTF8.self).split(separator: ": ", maxSplits: 1).map(String.init)
        if parts.count == 2 { facts[parts[0]] = parts[1] }
      }
      return facts
    }
  }
}

extension KeyFile {
  /// The private key as it is encrypted.
  var envelope: EncryptedPrivateKey { EncryptedPrivateKey(der: privateKey.withUnsafeBytes { Array($0) }) }
}
