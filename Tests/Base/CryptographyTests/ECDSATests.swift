import TesseraCore
import TestSupport
import Testing

@testable import TesseraCryptography

enum ECDSAVectors {
  static let fixture = Fixtures.json("Base/CryptographyTests", "ecdsa-p256.json")

  static func key(_ vector: Vector) throws -> P256PublicKey {
    try P256PublicKey(point: [4] + vector["x"].bytes + vector["y"].bytes)
  }

  static func signature(_ vector: Vector) throws -> P256Signature {
    try P256Signature(raw: vector["r"].bytes + vector["s"].bytes)
  }

  static func digest(_ text: String) throws -> [UInt8] { try HashAlgorithm.sha256.digest(of: Array(text.utf8)) }
}

@Suite("ECDSA on P-256 against published cases")
struct ECDSATests {
  @Test("the fixture has every case")
  func counts() {
    #expect(ECDSAVectors.fixture["nistSigVer"].list.count == 15)
    #expect(ECDSAVectors.fixture["nistSigVer"].list.filter { $0["isValid"].flag }.count == 3)
    #expect(ECDSAVectors.fixture["nistSigGen"].list.count == 15)
    #expect(ECDSAVectors.fixture["nistPKV"].list.count == 12)
  }

  @Test("NIST SigVer", arguments: ECDSAVectors.fixture["nistSigVer"].list)
  func verify(_ vector: Vector) throws {
    let digest = try HashAlgorithm.sha256.digest(of: vector["message"].bytes)
    // The parser refuses a signature that is out of range.
    let isValid = (try? ECDSAVectors.key(vector).verify(ECDSAVectors.signature(vector), digest: digest)) ?? false
    #expect(isValid == vector["isValid"].flag)
  }

  @Test(
    "NIST SigGen: the signatures verify, and our keys sign for the same public keys",
    arguments: ECDSAVectors.fixture["nistSigGen"].list)
  func sign(_ vector: Vector) throws {
    let digest = try HashAlgorithm.sha256.digest(of: vector["message"].bytes)
    let key = try ECDSAVectors.key(vector)
    #expect(try key.verify(ECDSAVectors.signature(vector), digest: digest))
    let signingKey = try SigningKey(p256Scalar: SecretBytes(vector["scalar"].bytes))
    #expect(signingKey.publicKey == key)
    let signature = try signingKey.sign(digest: digest)
    #expect(try key.verify(signature, digest: digest))
    var other = digest
    other[31] ^= 1
    #expect(try !key.verify(signature, digest: other))
  }

  @Test("NIST PKV: refuses points off the curve or out of range", arguments: ECDSAVectors.fixture["nistPKV"].list)
  func points(_ vector: Vector) {
    #expect(((try? ECDSAVectors.key(vector)) != nil) == vector["isValid"].flag)
  }

  @Test("RFC 6979, A.2.5", arguments: ECDSAVectors.fixture["rfc6979"]["signatures"].list)
  func deterministic(_ vector: Vector) throws {
    let fixture = ECDSAVectors.fixture["rfc6979"]
    let key = try SigningKey(p256Scalar: SecretBytes(fixture["scalar"].bytes))
    #expect(key.publicKey == (try ECDSAVectors.key(fixture)))
    let digest = try ECDSAVectors.digest(vector.id)
    let expected = try ECDSAVectors.signature(vector)
    #expect(try key.publicKey.verify(expected, digest: digest))
    let first = try key.sign(digest: digest)
    #expect(try key.publicKey.verify(first, digest: digest))
    // An OpenSSL with deterministic nonces uses those of the RFC. Others use random ones, which never repeat.
    let second = try key.sign(digest: digest)
    if SigningKey.hasDeterministicNonces {
      #expect(first == expected)
      #expect(second == expected)
    } else {
      #expect(first != second)
    }
  }

  @Test("verifies the signature of the bridge vectors")
  func bridgeVector() throws {
    let fixture = ECDSAVectors.fixture["bridge"]
    let key = try P256PublicKey(point: fixture["publicKeyX963"].base64)
    #expect(key.subjectPublicKeyInfo == fixture["publicKeySpki"].base64)
    #expect(try P256PublicKey(subjectPublicKeyInfo: fixture["publicKeySpki"].base64) == key)
    let digest = try HashAlgorithm.sha256.digest(of: fixture["message"].base64)
    #expect(try key.verify(P256Signature(der: fixture["signatureDer"].base64), digest: digest))
  }

  @Test("parses DER signatures strictly")
  func strictness() throws {
    let der = ECDSAVectors.fixture["bridge"]["signatureDer"].base64
    let signature = try P256Signature(der: der)
    #expect(try signature.der == der)
    for count in 0..<der.count {
      #expect(throws: CryptographyError.self, "\(count) bytes") { try P256Signature(der: der.prefix(count)) }
    }
    let refused: [(String, String)] = [
      ("a byte behind it", "3006020101020101" + "00"), ("a long length", "308106020101020101"),
      ("r with needless zeros", "300702020001020101"), ("r negative", "3006020181020101"),
      ("r zero", "3006020100020101"), ("three numbers", "3009020101020101020101"),
      ("indefinite", "30800201010201010000"),
      (
        "r the order",
        "3026022100FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551020101"
      ),
    ]
    for (what, bytes) in refused {
      #expect(throws: CryptographyError.self, "\(what)") { try P256Signature(der: Vector(bytes).bytes) }
    }
    #expect(try P256Signature(der: Vector("3006020101020102").bytes).raw.suffix(1) == [2])
  }
}

@Suite("Private keys in their encodings")
struct PrivateKeyTests {
  /// The published key of RFC 6979.
  let key: SigningKey

  init() throws { key = try SigningKey(p256Scalar: SecretBytes(ECDSAVectors.fixture["rfc6979"]["scalar"].bytes)) }

  @Test("round trip of PKCS #8 in DER and PEM")
  func pkcs8() throws {
    let der = try key.pkcs8
    #expect(try SigningKey(pkcs8: der).publicKey == key.publicKey)
    let blocks = try PEM.blocks(of: PEM.text("PRIVATE KEY", der))
    #expect(blocks.map(\.label) == ["PRIVATE KEY"])
    #expect(blocks.first?.content == der)
  }

  @Test("accepts an encoding without the public key")
  func withoutPublicKey() throws {
    let scalar = ECDSAVectors.fixture["rfc6979"]["scalar"].text
    // As in OpenSSL's test file for RFC 6979.
    let pkcs8 = "3041020100301306072A8648CE3D020106082A8648CE3D0301070427302502010104" + "20" + scalar
    #expect(try SigningKey(pkcs8: SecretBytes(Vector(pkcs8).bytes)).publicKey == key.publicKey)
    let sec1 = "3031020101" + "0420" + scalar + "A00A06082A8648CE3D030107"
    #expect(try SigningKey(sec1: SecretBytes(Vector(sec1).bytes)).publicKey == key.publicKey)
  }

  @Test("every truncation and every flipped bit is refused or gives a valid key")
  func hostile() throws {
    let der = try key.pkcs8.withUnsafeBytes { Array($0) }
    for count in 0..<der.count {
      #expect(throws: CryptographyError.self, "\(count) bytes") {
        try SigningKey(pkcs8: SecretBytes(der.prefix(count)))
      }
    }
    for bit in 0..<der.count * 8 {
      var changed = der
      changed[bit / 8] ^= 1 << (bit % 8)
      do {
        _ = try SigningKey(pkcs8: SecretBytes(changed))
      } catch {
        #expect(error is CryptographyError)
      }
    }
  }

  @Test("refuses scalars out of range")
  func range() {
    let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
    for text in [String(repeating: "0", count: 64), order, String(repeating: "F", count: 64), "01"] {
      #expect(throws: CryptographyError.self) { try SigningKey(p256Scalar: SecretBytes(Vector(text).bytes)) }
    }
  }

  @Test(
    "encrypted, and opened by the right secret only", arguments: [EncryptedPrivateKey.SecretKind.passphrase, .random])
  func encrypted(_ kind: EncryptedPrivateKey.SecretKind) throws {
    let secret = SecretBytes(Array("correct horse".utf8))
    let envelope = try EncryptedPrivateKey(key, under: secret, kind)
    #expect(envelope.isWellFormed)
    #expect(try envelope.key(under: secret).publicKey == key.publicKey)
    #expect(throws: CryptographyError.wrongSecret) { try envelope.key(under: SecretBytes(Array("wrong".utf8))) }
    #expect(throws: (any Error).self) {
      try EncryptedPrivateKey(der: Array(envelope.der.dropLast())).key(under: secret)
    }
    // Two envelopes of one key do not reveal that they contain the same key.
    #expect(try EncryptedPrivateKey(key, under: secret, kind) != envelope)
  }

  @Test("generated keys differ and sign")
  func generate() throws {
    let first = try SigningKey.generate()
    let digest = [UInt8](repeating: 7, count: 32)
    #expect(try first.publicKey.verify(first.sign(digest: digest), digest: digest))
    #expect(try SigningKey.generate().publicKey != first.publicKey)
    #expect(throws: CryptographyError.self) { try first.sign(digest: [1, 2, 3]) }
    #expect(try SigningKey(pkcs8: first.pkcs8).publicKey == first.publicKey)
  }
}
