import Foundation
import TesseraCryptography
import TesseraKeys
import TestSupport
import Testing

@Suite("Formats of public keys and signatures")
struct FormatTests {
  static let vectors = Fixtures.json("Base/CryptographyTests", "ecdsa-p256.json")
  let key: P256PublicKey

  init() throws { key = try P256PublicKey(point: Self.vectors["bridge"]["publicKeyX963"].base64) }

  @Test("decodes every format of a public key", arguments: PublicKeyFormat.allCases)
  func roundTrip(_ format: PublicKeyFormat) throws {
    let bytes = format.encode(key, comment: "my key\nssh-rsa AAAA")
    #expect(try PublicKeyFormat.decode(bytes) == key)
    if !format.isBinary {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.hasSuffix("\n"))
      if format != .pem { #expect(text.filter(\.isNewline).count == 1) }
    }
    // A truncated key is rejected, never decoded to another key.
    for count in stride(from: 0, to: bytes.count - 2, by: 3) {
      if let other = try? PublicKeyFormat.decode(Array(bytes.prefix(count))) { #expect(other == key, "\(count) bytes") }
    }
  }

  @Test("decodes a bare point in base64, the format of the bridge")
  func bridgeForm() throws {
    #expect(try PublicKeyFormat.decode(Array(Self.vectors["bridge"]["publicKeyX963"].text.utf8)) == key)
  }

  @Test("decodes a point in the URL alphabet, as Web Push writes it (RFC 8292, 3.2), and a compressed one")
  func points() throws {
    let compressed = [2 + (key.y.last ?? 0) % 2] + key.x
    #expect(try PublicKeyFormat.decode(Array(compressed)) == key)
    for point in [key.point, compressed] {
      #expect(try PublicKeyFormat.decode(Base64URL.encode(point)) == key)
      #expect(try PublicKeyFormat.decode(Array(Data(point).base64EncodedString().utf8)) == key)
    }
  }

  @Test("decodes the SSH key in authorized_keys and known_hosts (sshd(8)), and in the file of RFC 4716")
  func sshFiles() throws {
    let line = String(decoding: PublicKeyFormat.ssh.encode(key, comment: "ann"), as: UTF8.self)
    let words = line.split(separator: " ")
    let digits = String(words[1])
    let file = """
      ---- BEGIN SSH2 PUBLIC KEY ----
      Comment: "256-bit ECDSA, converted by \\
      ann from OpenSSH"
      \(digits.prefix(70))
      \(digits.dropFirst(70))
      ---- END SSH2 PUBLIC KEY ----

      """
    for text in [
      line.replacing(" ", with: "\t"), "# a comment\n\n\(line)", "restrict,command=\"a b\" \(line)",
      "host.example,192.0.2.1 \(line)", "ssh-ed25519 AAAA ann\n\(line)", "@revoked * \(words[0]) AAAA\n* \(line)", file,
      file.replacing("\n", with: "\r\n"),
    ] {
      #expect(try PublicKeyFormat.decode(Array(text.utf8)) == key, "\(text)")
    }
    #expect(throws: PublicKeyFormatError.unknown) { try PublicKeyFormat.decode(Array("@revoked * \(line)".utf8)) }
    // A signature of the second key would be called invalid.
    let other = String(
      decoding: PublicKeyFormat.ssh.encode(try SigningKey.generate().publicKey, comment: "bo"), as: UTF8.self)
    #expect(throws: PublicKeyFormatError.severalKeys) { try PublicKeyFormat.decode(Array((line + other).utf8)) }
    #expect(try PublicKeyFormat.decode(Array((line + line).utf8)) == key)
    for text in ["\(words[0])", "\(words[0]) AAAA", file.replacing(digits.prefix(8), with: "")] {
      #expect(throws: PublicKeyFormatError.notP256) { try PublicKeyFormat.decode(Array(text.utf8)) }
    }
  }

  @Test("a set of keys (RFC 7517, 5) is not called a bad key")
  func keySet() {
    let set = #"{"keys":[\#(String(decoding: PublicKeyFormat.jwk.encode(key), as: UTF8.self))]}"#
    #expect(throws: PublicKeyFormatError.unknown) { try PublicKeyFormat.decode(Array(set.utf8)) }
  }

  @Test(
    "white space in the header of a JWS (RFC 8259, 2; auth0/java-jwt, issue 144)",
    arguments: [
      "{\n  \"alg\": \"ES256\"\n}", "{\r\n\"alg\":\"ES256\"}", " {\"alg\":\"ES256\"}", "{\"alg\":\"ES256\"}\n",
    ])
  func spacedHeader(_ header: String) throws {
    let signingKey = try SigningKey.generate()
    let encoded = Base64URL.encode(header.utf8)
    var writer = try JSONWebSignature.Writer(header: encoded)
    var token = try writer.encode(Array("payload".utf8))
    let (rest, digest) = try writer.finish()
    token += rest + JSONWebSignature.ending(try signingKey.sign(digest: digest))
    #expect(SignatureFormat.looksLikeJWS(token))
    #expect(try Self.verifies(String(decoding: token, as: UTF8.self), signingKey.publicKey))
    #expect(!SignatureFormat.looksLikeJWS(try signingKey.sign(digest: digest).der))
  }

  @Test("verifies the example of RFC 7515, A.3")
  func rfc7515() throws {
    let vector = Self.vectors["rfc7515"]
    let jwk =
      #"{"kty":"EC","crv":"P-256","x":"\#(vector["x"].text)","y":"\#(vector["y"].text)","d":"\#(vector["d"].text)"}"#
    let key = try PublicKeyFormat.decode(Array(jwk.utf8))
    let token = [vector["header"], vector["payload"], vector["signature"]].map(\.text).joined(separator: ".")
    let payload = Data(#"{"iss":"joe",\#r\#n "exp":1300819380,\#r\#n "http://example.com/is_root":true}"#.utf8)
    // In chunks of different sizes.
    for size in [1, 2, 3, 7, 64, 1000] {
      var reader = try JSONWebSignature.Reader()
      for start in stride(from: 0, to: token.utf8.count, by: size) {
        try reader.read(Array(token.utf8.dropFirst(start).prefix(size)))
      }
      let parts = try reader.finish()
      #expect(try key.verify(parts.signature, digest: parts.digest))
      #expect(try parts.payload == HashAlgorithm.sha256.digest(of: payload))
    }
    // A changed character makes the token invalid or malformed.
    for place in stride(from: 0, to: token.utf8.count, by: 5) {
      var changed = Array(token.utf8)
      changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let isValid = try? Self.verifies(String(decoding: changed, as: UTF8.self), key)
      #expect(isValid != true, "letter \(place)")
    }
  }

  private static func verifies(_ token: String, _ key: P256PublicKey) throws -> Bool {
    var reader = try JSONWebSignature.Reader()
    try reader.read(Array(token.utf8))
    let parts = try reader.finish()
    return try key.verify(parts.signature, digest: parts.digest)
  }

  @Test("writes a JWS from chunks of any size")
  func writer() throws {
    let signingKey = try SigningKey.generate()
    let payload = Array("\u{0}binary\u{FF} and more".utf8)
    for size in 1...payload.count + 1 {
      var writer = try JSONWebSignature.Writer()
      var token: [UInt8] = []
      for start in stride(from: 0, to: payload.count, by: size) {
        token += try writer.encode(payload.dropFirst(start).prefix(size))
      }
      let (text, digest) = try writer.finish()
      token += text + JSONWebSignature.ending(try signingKey.sign(digest: digest))
      let token64 = String(decoding: token, as: UTF8.self)
      #expect(token64.hasPrefix("eyJhbGciOiJFUzI1NiJ9."))
      #expect(try Self.verifies(token64, signingKey.publicKey))
      var reader = try JSONWebSignature.Reader()
      try reader.read(token)
      #expect(try reader.finish().payload == HashAlgorithm.sha256.digest(of: payload))
    }
  }

  @Test(
    "rejects headers that change the meaning",
    arguments: [
      (#"{"alg":"none"}"#, SignatureError.unsupportedAlgorithm), (#"{"alg":"HS256"}"#, .unsupportedAlgorithm),
      (#"{"alg":"ES384"}"#, .unsupportedAlgorithm), ("{}", .unsupportedAlgorithm),
      (#"{"alg":["ES256"]}"#, .unsupportedAlgorithm),
      (
        #"{"alg":"ES256","crit":["b64"],"b64":false}"#,
        .malformed("the header of the JWS has unsupported extensions")
      ),
      ("[]", .malformed("the header of the JWS")), ("", .malformed("the header of the JWS")),
    ])
  func headers(_ header: String, _ expected: SignatureError) throws {
    let text = Data(header.utf8).base64EncodedString().replacing("=", with: "")
    var reader = try JSONWebSignature.Reader()
    #expect(throws: expected) { try reader.read(Array("\(text).e30.".utf8)) }
  }

  @Test("verifies a detached payload (RFC 7515, appendix F)")
  func detached() throws {
    let signingKey = try SigningKey.generate()
    let payload = Array("some payload".utf8)
    var writer = try JSONWebSignature.Writer()
    _ = try writer.encode(payload)
    let signature = try signingKey.sign(digest: try writer.finish().digest)
    var reader = try JSONWebSignature.Reader()
    try reader.read(Array("eyJhbGciOiJFUzI1NiJ9.".utf8) + JSONWebSignature.ending(signature))
    let parts = try reader.finish()
    #expect(parts.payload == nil)
    var again = try JSONWebSignature.Writer(header: parts.header)
    _ = try again.encode(payload)
    #expect(try signingKey.publicKey.verify(parts.signature, digest: again.finish().digest))
  }

  @Test("decodes signatures in every format, and rejects anything else")
  func signatures() throws {
    let der = Self.vectors["bridge"]["signatureDer"].base64
    let signature = try P256Signature(der: der)
    let base64 = Data(der).base64EncodedString()
    let forms: [[UInt8]] = [
      der, signature.raw, Array(base64.utf8), Array((base64 + "\r\n").utf8),
      Array(Data(signature.raw).base64EncodedString().utf8),
      Array(base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "").utf8),
    ]
    for form in forms { #expect(try SignatureFormat.decode(form) == signature) }
    for format in [SignatureFormat.der, .raw, .base64] {
      #expect(try SignatureFormat.decode(format.encode(signature)) == signature)
    }
    let zero = [UInt8](repeating: 0, count: 64)
    #expect(throws: SignatureError.malformed("r or s is out of range")) { try SignatureFormat.decode(zero) }
    for junk in [[], [0x30], Array("hello".utf8), Array(der.dropLast()), der + der, Array(signature.raw.dropLast())] {
      #expect(throws: SignatureError.self) { try SignatureFormat.decode(junk) }
    }
  }

  @Test("rejects base64 with non-zero pad bits")
  func spareBits() throws {
    let signingKey = try SigningKey.generate()
    for payload in ["", "1", "12", "123"] {
      var writer = try JSONWebSignature.Writer()
      var token = try writer.encode(Array(payload.utf8))
      let (text, digest) = try writer.finish()
      token += text + JSONWebSignature.ending(try signingKey.sign(digest: digest))
      #expect(try Self.verifies(String(decoding: token, as: UTF8.self), signingKey.publicKey))
      // The last of the 86 digits of the signature has four pad bits.
      var changed = token
      changed[changed.count - 1] += 1
      #expect(throws: SignatureError.malformed("the signature of the JWS")) {
        try Self.verifies(String(decoding: changed, as: UTF8.self), signingKey.publicKey)
      }
    }
    for (text, part) in [
      ("eyJhbGciOiJFUzI1NiJ8.e30", "the header of the JWS"), ("eyJhbGciOiJFUzI1NiJ9.MR.", "the payload of the JWS"),
      ("eyJhbGciOiJFUzI1NiJ9.MTJ.", "the payload of the JWS"),
      ("eyJhbGciOiJFUzI1NiJ9.MTIzM.", "the payload of the JWS"),
    ] {
      #expect(throws: SignatureError.malformed(part), "\(text)") {
        var reader = try JSONWebSignature.Reader()
        try reader.read(Array(text.utf8))
        _ = try reader.finish()
      }
    }
    let base64 = Array(
      Data(try P256Signature(der: Self.vectors["bridge"]["signatureDer"].base64).raw).base64EncodedString().utf8)
    #expect(throws: Never.self) { try SignatureFormat.decode(base64) }
    for end in ["=", "==", "A", "=A"] {
      #expect(throws: SignatureError.self, "\(end)") { try SignatureFormat.decode(base64 + Array(end.utf8)) }
    }
  }

  @Test("rejects bytes after a key or a signature in DER, in every format")
  func trailingBytes() throws {
    let info = key.subjectPublicKeyInfo
    for more: [UInt8] in [[0], [10], [0x30, 0], info] {
      let longer = info + more
      #expect(throws: PublicKeyFormatError.notP256) { try PublicKeyFormat.decode(longer) }
      let text = Data(longer).base64EncodedString()
      #expect(throws: PublicKeyFormatError.notP256) { try PublicKeyFormat.decode(Array(text.utf8)) }
      let pem = "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
      #expect(throws: PublicKeyFormatError.notP256) { try PublicKeyFormat.decode(Array(pem.utf8)) }
    }
    #expect(throws: PublicKeyFormatError.self) {
      try PublicKeyFormat.decode(Array("\(Data(key.point).base64EncodedString().dropLast(2))F=".utf8))
    }
    let signature = try P256Signature(der: Self.vectors["bridge"]["signatureDer"].base64)
    let der = try signature.der
    for more: [UInt8] in [[0], [0x30, 0], [10], der] {
      #expect(throws: SignatureError.self) { try SignatureFormat.decode(der + more) }
    }
    // Also within the sequence.
    #expect(throws: SignatureError.self) {
      try SignatureFormat.decode([0x30, der[1] + 2] + der.dropFirst(2) + [5, 0])
    }
    let envelope = try EncryptedPrivateKey(try SigningKey.generate(), under: SecretBytes([1]), .random)
    #expect(throws: CryptographyError.malformed("an encrypted private key")) {
      try EncryptedPrivateKey(der: envelope.der + [0]).key(under: SecretBytes([1]))
    }
  }
}
