import TesseraCore
import Testing

@testable import TesseraCryptography

/// The primitives of Secret Service sessions.
@Suite("Key agreement, HKDF and AES-CBC against known answers")
struct SessionCipherTests {
  func hexadecimal(_ secret: SecretBytes) -> String { secret.withUnsafeBytes { Array($0).hexadecimal.lowercased() } }

  @Test(
    "HKDF with SHA-256, RFC 5869, A.1 and A.3",
    arguments: [
      (
        "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
      ),
      ("", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ])
  func keyDerivation(_ salt: String, _ info: String, _ expected: String) throws {
    let secret = SecretBytes([UInt8](repeating: 0x0B, count: 22))
    let salt = try #require([UInt8](hexadecimal: salt))
    let info = try #require([UInt8](hexadecimal: info))
    let key = try HKDF.derive(secret, salt: salt, info: info, count: 42)
    #expect(hexadecimal(key) == expected)
    #expect(throws: CryptographyError.self) { try HKDF.derive(secret, count: 255 * 32 + 1) }
  }

  static let key = "2b7e151628aed2a6abf7158809cf4f3c"
  static let vector = [UInt8](0...15)
  static let plaintext =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
  static let ciphertext =
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
    + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"

  @Test("AES-128-CBC, NIST SP 800-38A, F.2.1 and F.2.2; the padding is a separate block")
  func cipher() throws {
    let cipher = try AES128CBC(key: SecretBytes(#require([UInt8](hexadecimal: Self.key))))
    let plaintext = try #require([UInt8](hexadecimal: Self.plaintext))
    let encrypted = try cipher.encrypt(SecretBytes(plaintext), initialisationVector: Self.vector)
    #expect(encrypted.count == 80)
    #expect(encrypted.prefix(64).hexadecimal.lowercased() == Self.ciphertext)
    let decrypted = try cipher.decrypt(encrypted, initialisationVector: Self.vector)
    #expect(decrypted == SecretBytes(plaintext))
  }

  @Test("round trip of every length, with one to sixteen bytes of padding", arguments: [0, 1, 15, 16, 17, 4096])
  func lengths(_ count: Int) throws {
    let cipher = try AES128CBC(key: RandomBytes.makeSecret(16))
    let secret = try RandomBytes.makeSecret(count)
    let encrypted = try cipher.encrypt(secret, initialisationVector: Self.vector)
    #expect(encrypted.count == count / 16 * 16 + 16)
    #expect(try cipher.decrypt(encrypted, initialisationVector: Self.vector) == secret)
  }

  @Test("refuses wrong lengths and wrong padding")
  func malformed() throws {
    #expect(throws: CryptographyError.self) { try AES128CBC(key: SecretBytes([1])) }
    let cipher = try AES128CBC(key: SecretBytes(#require([UInt8](hexadecimal: Self.key))))
    #expect(throws: CryptographyError.self) { try cipher.encrypt(SecretBytes([1]), initialisationVector: [1]) }
    #expect(throws: CryptographyError.self) { try cipher.decrypt([], initialisationVector: Self.vector) }
    #expect(throws: CryptographyError.self) { try cipher.decrypt([1], initialisationVector: Self.vector) }
    // The published blocks end with 10, which announces sixteen bytes of padding that do not exist.
    let unpadded = try #require([UInt8](hexadecimal: Self.ciphertext))
    #expect(throws: CryptographyError.malformed("the padding of an AES-CBC plaintext")) {
      try cipher.decrypt(unpadded, initialisationVector: Self.vector)
    }
  }

  /// Computed with Python's `pow`; the shared secret begins with a zero byte.
  enum Agreement {
    static let privateValue =
      "a8ec8a247cd31dd474f58622c488731294f1ec566e3f49816fc07f63ab1dfa77d9a00313ed24c093a4d080a77853d3c6"
      + "2599ef2a5a60018695f072ca877abb97801e3a135ebcd75f588d565f2ca060d7720af8d70c71556a8bcbfcad26b35309"
      + "b3c44006f87398e73e0b6bb653781340abec715c344b69d5d41ae0d107855b"
    static let publicValue =
      "8a70934395c360d8ea2f05b75bc196ffdfa1d5c6227e8cad6699a6e69113a2cd0ede59bb336143cda3b9078f26fd4ee0"
      + "b1939c66024df081ac4691c9c72e33d5c30a795f1c42a944433f358966d42cf535ea1093b5afc4a04b1578bb0b38167a"
      + "300448c3d40ed5d4f58d5279e51360740b4e3591feda2350c30bddb275d74684"
    static let peerValue =
      "4dddb283a9656cbe2925a7c873226fb6845feedaea078650c082f010727096bc549f77572b4cbda174985b7bbf7e6d7e"
      + "6d7f07371f8518a6fce4e9941c4f3b686ad2b7b4b94ee8f7fc0766bee7cf390cc5bdb2558171e217dd84359d3d898848"
      + "c8a29e27de42cc7e1e1a65be75c28e87c65bae644c66eba237c8694a656ba1f7"
    static let shared =
      "0062baa68e3021e95b0a65dbaebda9831d066386a5ed6a5bb62e41747419ff7d73706b103b0b65a8c6f7496e1af024a0"
      + "1dd676dbb61ebea4665d4d35e665a79bb2c78ecd26e3f46643d422fe37f189434a5b2b5f08c71ea5b9768c62aefe5989"
      + "c03f367c6fec62826a8679ae070cd1b62c42b045983e9fbce170e3496dbb2003"
    static let prime =
      "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd"
      + "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed"
      + "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff"
  }

  @Test("the shared secret equals the known answer, with its leading zero")
  func knownAgreement() throws {
    let side = try ModularDiffieHellman(
      privateValue: #require([UInt8](hexadecimal: Agreement.privateValue)),
      publicValue: #require([UInt8](hexadecimal: Agreement.publicValue)))
    let peer = try #require([UInt8](hexadecimal: Agreement.peerValue))
    let shared = try side.sharedSecret(with: peer)
    #expect(hexadecimal(shared) == Agreement.shared)
    #expect(try side.sharedSecret(with: [0, 0] + peer) == shared, "leading zeros are ignored")
  }

  @Test("two sides agree on a secret, and other pairs on other secrets")
  func freshAgreement() throws {
    let sides = try (0..<3).map { _ in try ModularDiffieHellman() }
    #expect(sides.allSatisfy { $0.publicValue.count == 128 })
    let one = try sides[0].sharedSecret(with: sides[1].publicValue)
    #expect(try one == sides[1].sharedSecret(with: sides[0].publicValue))
    #expect(try one != sides[2].sharedSecret(with: sides[0].publicValue))
  }

  @Test("refuses a peer's value outside 2 ... p - 2, and accepts the limits")
  func range() throws {
    let side = try ModularDiffieHellman()
    let prime = try #require([UInt8](hexadecimal: Agreement.prime))
    func below(_ difference: UInt8) -> [UInt8] { prime.dropLast() + [0xFF - difference] }
    let outside = [
      [], [0], [1], [UInt8](repeating: 0, count: 127) + [1], below(1), prime, [1] + prime,
      [1] + [UInt8](repeating: 0, count: 128),
    ]
    for value in outside {
      #expect(throws: CryptographyError.malformed("a Diffie-Hellman value outside of the group")) {
        try side.sharedSecret(with: value)
      }
    }
    for value in [[2], below(2)] { #expect(try side.sharedSecret(with: value).count == 128) }
  }
}
