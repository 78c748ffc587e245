import TesseraCore
import Testing

@testable import TesseraCryptography

/// The primitives of the encrypted store.
@Suite("AES-256-GCM and HMAC against known answers")
struct AuthenticatedEncryptionTests {
  struct GCM: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key, nonce, plaintext, data, ciphertext, tag: String
  }

  private static let zeros = String(repeating: "00", count: 32)
  private static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
  private static let plaintext =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
  private static let ciphertext =
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
    + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"

  /// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
  static let cases = [
    GCM(
      testDescription: "13", key: zeros, nonce: String(zeros.prefix(24)), plaintext: "", data: "", ciphertext: "",
      tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    GCM(
      testDescription: "14", key: zeros, nonce: String(zeros.prefix(24)), plaintext: String(zeros.prefix(32)), data: "",
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    GCM(
      testDescription: "15", key: key, nonce: "cafebabefacedbaddecaf888", plaintext: plaintext, data: "",
      ciphertext: ciphertext, tag: "b094dac5d93471bdec1a502270e3cc6c"),
    GCM(
      testDescription: "16", key: key, nonce: "cafebabefacedbaddecaf888", plaintext: String(plaintext.prefix(120)),
      data: "feedfacedeadbeeffeedfacedeadbeefabaddad2", ciphertext: String(ciphertext.prefix(120)),
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test("seals and opens, and refuses modified input", arguments: cases)
  func cipher(_ vector: GCM) throws {
    func bytes(_ text: String) throws -> [UInt8] { try #require([UInt8](hexadecimal: text)) }
    let cipher = try AES256GCM(key: SecretBytes(bytes(vector.key)))
    let nonce = try bytes(vector.nonce)
    let data = try bytes(vector.data)
    let plaintext = SecretBytes(try bytes(vector.plaintext))
    let sealed = try cipher.seal(plaintext, nonce: nonce, authenticating: data)
    #expect(sealed.hexadecimal.lowercased() == vector.ciphertext + vector.tag)
    #expect(try cipher.open(sealed, nonce: nonce, authenticating: data) == plaintext)

    func isRefused(_ sealed: [UInt8], _ nonce: [UInt8], _ data: [UInt8]) -> Bool {
      do {
        _ = try cipher.open(sealed, nonce: nonce, authenticating: data)
        return false
      } catch {
        return error as? CryptographyError == .notAuthentic
      }
    }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(isRefused(changed, nonce, data))
    }
    for length in sealed.indices { #expect(isRefused(Array(sealed.prefix(length)), nonce, data)) }
    #expect(isRefused(sealed + [0], nonce, data))
    #expect(isRefused(sealed, nonce.reversed() + [], data) || nonce == nonce.reversed())
    #expect(isRefused(sealed, nonce, data + [0]))
    let other = try AES256GCM(key: SecretBytes([UInt8](repeating: 1, count: 32)))
    #expect(throws: CryptographyError.notAuthentic) { try other.open(sealed, nonce: nonce, authenticating: data) }
  }

  @Test("refuses keys and nonces of other lengths")
  func lengths() throws {
    for length in [0, 16, 31, 33] {
      #expect(throws: CryptographyError.malformed("AES-256 key of \(length) bytes")) {
        try AES256GCM(key: SecretBytes([UInt8](repeating: 0, count: length)))
      }
    }
    let cipher = try AES256GCM(key: SecretBytes([UInt8](repeating: 0, count: 32)))
    for length in [0, 11, 13, 16] {
      let nonce = [UInt8](repeating: 0, count: length)
      #expect(throws: CryptographyError.malformed("AES-GCM nonce of \(length) bytes")) {
        try cipher.seal(SecretBytes([]), nonce: nonce, authenticating: [])
      }
    }
  }

  @Test(
    "HMAC with SHA-256, RFC 4231, 4.2, 4.3 and 4.7",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func code(_ key: [UInt8], _ text: String, _ expected: String) throws {
    #expect(try HMAC.code(of: Array(text.utf8), key: SecretBytes(key)).hexadecimal.lowercased() == expected)
  }
}
