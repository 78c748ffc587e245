import FoundationEssentials
import Glibc
public import TesseraCore
public import TesseraCryptography

/// The file formats of a public key.
public enum PublicKeyFormat: String, Sendable, CaseIterable {
  /// `SubjectPublicKeyInfo` in PEM (RFC 7468, 13).
  case pem
  case der
  /// The DER format as one line of base64.
  case base64
  /// The uncompressed point, 65 bytes.
  case point
  /// JSON Web Key (RFC 7518, 6.2).
  case jwk
  /// A line for `authorized_keys` (RFC 5656, 3.1).
  case ssh

  public var isBinary: Bool { self == .der || self == .point }

  /// - Parameters:
  ///   - key: the public key.
  ///   - comment: the comment of the SSH format.
  public func encode(_ key: P256PublicKey, comment: String = "") -> [UInt8] {
    switch self {
    case .pem: Array(PEM.text("PUBLIC KEY", key.subjectPublicKeyInfo).utf8)
    case .der: key.subjectPublicKeyInfo
    case .base64: Array((Data(key.subjectPublicKeyInfo).base64EncodedString() + "\n").utf8)
    case .point: key.point
    case .jwk:
      Array(
        #"{"crv":"P-256","kty":"EC","x":"\#(Self.text(key.x))","y":"\#(Self.text(key.y))"}"#.utf8) + [10]
    case .ssh:
      Array("\(Self.sshType) \(Data(Self.sshBlob(key)).base64EncodedString()) \(Self.word(comment))\n".utf8)
    }
  }

  /// Decodes a key in any of the formats, or the key of a certificate in PEM or DER, which is not verified.
  ///
  /// - Throws: `PublicKeyFormatError`.
  public static func decode(_ bytes: [UInt8]) throws -> P256PublicKey {
    if let key = try? P256PublicKey(point: bytes) { return key }
    if bytes.first == 0x30 { return try key(subjectPublicKeyInfo: bytes) }
    let text = Handwritten.trimmed(String(decoding: bytes, as: UTF8.self))
    if text.hasPrefix("{") { return try jsonWebKey(text) }
    if text.hasPrefix(sshType + " ") { return try sshKey(text) }
    if text.contains("-----BEGIN"), let blocks = try? PEM.blocks(of: SecretBytes(bytes)) {
      let labels = ["PUBLIC KEY", "CERTIFICATE", "X509 CERTIFICATE"]
      guard let block = blocks.first(where: { labels.contains($0.label) }) else { throw PublicKeyFormatError.unknown }
      return try key(subjectPublicKeyInfo: block.content.withUnsafeBytes { Array($0) })
    }
    let digits = text.filter { !$0.isWhitespace }
    // Foundation also accepts non-canonical base64.
    guard let decoded = Data(base64Encoded: digits), decoded.base64EncodedString() == digits else {
      throw PublicKeyFormatError.unknown
    }
    if let key = try? P256PublicKey(point: decoded) { return key }
    return try key(subjectPublicKeyInfo: Array(decoded))
  }

  private static func key(subjectPublicKeyInfo bytes: [UInt8]) throws -> P256PublicKey {
    let certified = (try? Certificate(der: bytes)).map { Array($0.publicKeyInfo) }
    do {
      return try P256PublicKey(subjectPublicKeyInfo: certified ?? bytes)
    } catch {
      throw PublicKeyFormatError.notP256
    }
  }

  // MARK: - JWK

  private static func text(_ coordinate: [UInt8]) -> String {
    String(decoding: Base64URL.encode(coordinate), as: UTF8.self)
  }

  private static func jsonWebKey(_ text: String) throws -> P256PublicKey {
    guard let members = JSONMembers(text.utf8) else {
      throw PublicKeyFormatError.unknown
    }
    guard members.string("kty") == "EC", members.string("crv") == "P-256",
      let x = members.string("x").flatMap({ Base64URL.decode($0.utf8) }),
      let y = members.string("y").flatMap({ Base64URL.decode($0.utf8) }), x.count == 32, y.count == 32,
      let key = try? P256PublicKey(point: [4] + x + y)
    else { throw PublicKeyFormatError.notP256 }
    return key
  }

  // MARK: - SSH

  private static let sshType = "ecdsa-sha2-nistp256"

  private static func sshBlob(_ key: P256PublicKey) -> [UInt8] {
    [Array(sshType.utf8), Array("nistp256".utf8), key.point].flatMap { field in
      [0, 0, 0, UInt8(truncatingIfNeeded: field.count)] + field  // none is longer than 65 bytes
    }
  }

  private static func sshKey(_ line: String) throws -> P256PublicKey {
    let words = line.split(separator: " ")
    guard words.count >= 2, let blob = Data(base64Encoded: String(words[1])),
      let key = try? P256PublicKey(point: blob.suffix(65)), Array(blob) == sshBlob(key)
    else { throw PublicKeyFormatError.notP256 }
    return key
  }

  /// Replaces white space, since a comment is one line.
  private static func word(_ text: String) -> String {
    String(text.map { $0.isNewline || $0.isWhitespace ? "_" : $0 })
  }
}

/// The reason why a public key cannot be read.
public enum PublicKeyFormatError: Error, Sendable, Equatable {
  case unknown
  case notP256
}

extension PublicKeyFormatError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .unknown:
      Failure(
        .usage, "The format of the public key is unknown.",
        remedy: "Use PEM, DER, base64, a point, JWK, SSH or a certificate.")
    case .notP256:
      Failure(.usage, "The public key is not a valid P-256 key.", remedy: "Use the key that made the signature.")
    }
  }
}
