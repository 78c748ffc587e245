import TesseraCore
import TestSupport
import Testing

@testable import TesseraCryptography

@Suite("Symmetric cryptography against published vectors")
struct SymmetricTests {
  static let kdf = Fixtures.vectors("Base/CryptographyTests", "kdf.json")
  static let mac = Fixtures.vectors("Base/CryptographyTests", "iso9797-mac.json")

  @Test("the fixtures have every vector")
  func counts() {
    #expect(Self.kdf.count == 21)
    #expect(Self.mac.count == 14)
  }

  @Test("key derivation", arguments: kdf)
  func keyDerivation(_ vector: Vector) throws {
    let cipher: KeyDerivation.Cipher =
      switch (vector["cipher"].text, vector["key_bits"].number) {
      case ("3DES", 112): .tripleDES
      case ("AES", 128): .aes128
      case ("AES", 192): .aes192
      default: .aes256
      }
    #expect(cipher.keyLength * 8 == vector["key_bits"].number || cipher == .tripleDES)
    let purpose = try #require(KeyDerivation.Purpose(rawValue: UInt32(vector["counter"].number)))
    // Chip Authentication in version 3 of TR-03110 (with a nonce) hashes a nonce between the secret and the counter.
    let secret = SecretBytes(vector["K"].bytes + vector["nonce_r"].bytes)
    let key = try KeyDerivation.derive(secret, purpose, for: cipher)
    #expect(key.withUnsafeBytes { $0.hexadecimal } == vector["key"].text)
  }

  @Test("retail MAC", arguments: mac.filter { $0["mac"].isPresent })
  func retailMAC(_ vector: Vector) throws {
    let authenticator = try RetailMAC(key: SecretBytes(vector["key"].bytes))
    let data = vector["data"].bytes
    let mac = try vector["data_already_padded"].flag ? authenticator.mac(padded: data) : authenticator.mac(data)
    #expect(mac.hexadecimal == vector["mac"].text)
  }

  @Test("padding method 2", arguments: mac.flatMap { $0["cases"].list })
  func padding(_ vector: Vector) {
    let padded = Padding.pad(vector["data"].bytes, to: vector["block"].number)
    #expect(padded.hexadecimal == vector["padded"].text)
    #expect(Padding.unpad(padded) == vector["data"].bytes)
  }

  @Test("removing padding", arguments: mac.flatMap { $0["unpad"].list })
  func unpadding(_ vector: Vector) {
    #expect(Padding.unpad(vector["padded"].bytes) == vector["data"].bytes)
  }

  @Test("refuses bytes without a padding marker", arguments: mac.flatMap { $0["invalid"].list })
  func invalidPadding(_ vector: Vector) {
    #expect(!vector["padded"].bytes.isEmpty)
    #expect(Padding.unpad(vector["padded"].bytes) == nil)
  }

  @Test("3DES refuses keys and inputs of a wrong length")
  func wrongLengths() throws {
    #expect(throws: CryptographyError.self) { try TripleDES(key: SecretBytes([1, 2, 3])) }
    #expect(throws: CryptographyError.self) { try RetailMAC(key: SecretBytes([])) }
    let cipher = try TripleDES(key: SecretBytes([UInt8](repeating: 1, count: 16)))
    #expect(throws: CryptographyError.self) { try cipher.encrypt([1, 2, 3]) }
    let mac = try RetailMAC(key: SecretBytes([UInt8](repeating: 1, count: 16)))
    #expect(throws: CryptographyError.self) { try mac.mac(padded: []) }
  }

  @Test("compares secrets by content and never prints them")
  func secrets() {
    let secret = SecretBytes([0x41, 0x42])
    #expect(secret == SecretBytes([0x41, 0x42]))
    #expect(secret != SecretBytes([0x41, 0x43]))
    #expect(secret != SecretBytes([0x41]))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] {
      #expect(text.contains("<redacted>"))
      #expect(!text.contains("41") && !text.contains("65"))
    }
  }
}
