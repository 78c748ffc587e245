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

  private static let forms = Fixtures.json("Base/CryptographyTests", "signature-forms.json")

  /// The plain form is that of BSI TR-03111, 5.2.1: both numbers as long as the order of the group.
  @Test("r and s in any form are the same signature, where any form counts", arguments: forms["keys"].list)
  func anyForm(_ vector: Vector) throws {
    let key = try PublicKey(subjectPublicKeyInfo: vector["key"].bytes)
    let (r, s) = (vector["r"].bytes, vector["s"].bytes)
    func short(_ number: [UInt8]) -> [UInt8] { Array(number.drop { $0 == 0 }) }
    /// As the content of an INTEGER.
    func signed(_ number: [UInt8]) -> [UInt8] { (short(number)[0] >= 0x80 ? [0] : []) + short(number) }
    /// In whole words of a machine.
    func words(_ number: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 7 - (number.count - 1) % 8) + number }
    let der = try ECDSASignature.der(plain: r + s)
    let forms: [[UInt8]] = [
      r + s, short(r) + short(s), short(r) + s, r + short(s), signed(r) + signed(s), words(r) + words(s), [0] + r + s,
      r + [0] + s, [0] + r + [0] + s, der,
    ]
    let message = Self.forms["message"].bytes
    for form in forms {
      for algorithm in [SignatureAlgorithm.ecdsa(.sha256), .plainECDSA(.sha256)] {
        #expect(try key.verify(form, over: message, algorithm, inAnyForm: true), "\(form.count) octets")
        // What is malformed under the plain name throws.
        let other = try? key.verify(form, over: message + [0], algorithm, inAnyForm: true)
        #expect(other != true, "\(form.count) octets")
      }
    }
    // Where the named form is demanded, as in seals, no other is accepted.
    #expect(try key.verify(r + s, over: message, .plainECDSA(.sha256)))
    #expect(try key.verify(der, over: message, .ecdsa(.sha256)))
    #expect((try? key.verify(der, over: message, .plainECDSA(.sha256))) != true)
    #expect(try !key.verify(r + s, over: message, .ecdsa(.sha256)))
  }

  @Test("what has no two numbers is wrong under the name of the DER form, and malformed under the other one")
  func withoutNumbers() throws {
    let vector = try #require(Self.forms["keys"].list.last)
    let key = try PublicKey(subjectPublicKeyInfo: vector["key"].bytes)
    let r = vector["r"].bytes
    for signature in [[], [0], r + r + r + [1]] as [[UInt8]] {
      #expect(try !key.verify(signature, over: [1], .ecdsa(.sha256), inAnyForm: true))
      #expect(throws: CryptographyError.malformed("plain ECDSA signature")) {
        try key.verify(signature, over: [1], .plainECDSA(.sha256), inAnyForm: true)
      }
    }
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
