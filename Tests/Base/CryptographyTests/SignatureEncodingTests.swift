import TestSupport
import Testing

@testable import TesseraCryptography

/// Signatures as real signers wrote them: the master list UN_r231 of the United Nations, whose digest has no NULL
/// (github.com/openssl/openssl, issues 22093, 12027 and 17130); passports of Denmark, whose salt is longer than the
/// digest (github.com/zkpassport/zkpassport-packages, 142); numbers of ECDSA that are negative or have more zeros than
/// needed (github.com/openssl/openssl, 5249; github.com/randombit/botan, 2617). The vectors are made, with made-up keys.
@Suite("Signatures in odd encodings")
struct SignatureEncodingTests {
  private static let fixture = Fixtures.json("Base/CryptographyTests", "signature-encodings.json")

  @Test(
    "the same number in another encoding is the same signature, and nothing else is",
    arguments: fixture["signatures"].list)
  func encodings(_ vector: Vector) throws {
    let key = try PublicKey(subjectPublicKeyInfo: Self.fixture["keys"][vector["key"].text].bytes)
    let algorithm: SignatureAlgorithm =
      switch vector["algorithm"].text {
      case "rsaPKCS1": .rsaPKCS1(.sha256)
      case "rsaPSS": .rsaPSS(.sha256, maskHash: .sha256, saltLength: 32)
      default: .ecdsa(.sha256)
      }
    let isValid = try key.verify(vector["signature"].bytes, over: vector["message"].bytes, algorithm)
    #expect(isValid == vector["isValid"].flag)
  }

  @Test("the fixture has every case")
  func counts() {
    let list = Self.fixture["signatures"].list
    #expect(list.count == 36 && list.filter { $0["isValid"].flag }.count == 15)
  }

  /// The plain form is that of BSI TR-03111, 5.2.1.
  @Test("r || s under the name of the other form is the same signature, also with zeros left out or more of them")
  func plain() throws {
    let signer = try SigningKey.generate()
    let key = try PublicKey(subjectPublicKeyInfo: signer.publicKey.subjectPublicKeyInfo)
    let message: [UInt8] = [1, 2, 3]
    let digest = try HashAlgorithm.sha256.digest(of: message)
    func isValid(_ signature: [UInt8], _ message: [UInt8]) throws -> Bool {
      try key.verify(signature, over: message, SignatureAlgorithm.plainECDSA(.sha256).inAnyEncoding)
    }
    // One number of 256 begins with a zero.
    var shorter: Set<Int> = []
    for _ in 0..<20_000 where shorter.count < 2 {
      let raw = try signer.sign(digest: digest).raw
      let (r, s) = (raw.prefix(32), raw.suffix(32))
      for (place, number) in [r, s].enumerated() where number.first == 0 && shorter.insert(place).inserted {
        let short = Array(r.drop { $0 == 0 } + s.drop { $0 == 0 })
        #expect(try isValid(short, message))
        #expect(try !isValid(short, [1, 2, 4]))
      }
    }
    #expect(shorter.count == 2)
    let signature = try signer.sign(digest: digest)
    let (r, s) = (Array(signature.raw.prefix(32)), Array(signature.raw.suffix(32)))
    let forms: [[UInt8]] = [r + s, [0] + r + s, r + [0] + s, [0] + r + [0] + s, try signature.der]
    for longer in forms {
      #expect(try isValid(longer, message))
      #expect(try !isValid(longer, [1, 2, 4]))
    }
    // No numbers at all.
    for malformed in [[], [0], r, r + s + r] as [[UInt8]] {
      #expect(try !isValid(malformed, message))
    }
    // Where the plain form is demanded, as in seals, nothing else is accepted.
    #expect(try key.verify(signature.raw, over: message, .plainECDSA(.sha256)))
    #expect((try? key.verify(signature.der, over: message, .plainECDSA(.sha256))) != true)
    #expect(throws: CryptographyError.self) { try key.verify([0], over: message, .plainECDSA(.sha256)) }
  }

  @Test("names of algorithms that certificates of the first years have")
  func names() throws {
    func algorithm(_ text: String) throws -> SignatureAlgorithm {
      SignatureAlgorithm(
        try AlgorithmIdentifier(.parse([UInt8](hexadecimal: text) ?? [], "algorithm")), digest: nil)
    }
    // sha-1WithRSAEncryption of the OIW; ecdsa-with-Specified of X9.62, with SHA-256, with nothing and with NULL.
    #expect(try algorithm("300906052B0E03021D0500") == .rsaPKCS1(.sha1))
    #expect(try algorithm("301606072A8648CE3D0403300B0609608648016503040201") == .ecdsa(.sha256))
    #expect(try algorithm("300906072A8648CE3D0403") == .unknown("1.2.840.10045.4.3"))
    #expect(try algorithm("300B06072A8648CE3D04030500") == .unknown("1.2.840.10045.4.3"))
  }
}
