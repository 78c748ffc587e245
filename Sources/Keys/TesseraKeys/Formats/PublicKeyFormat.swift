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
      Array("\(SSHPublicKey.type) \(Data(SSHPublicKey.blob(key)).base64EncodedString()) \(Self.word(comment))\n".utf8)
    }
  }

  /// Decodes a key in any of the formats, or the key of a certificate in PEM or DER, which is not verified. A point may be
  /// compressed; an SSH key may be in a line of `authorized_keys` or `known_hosts`, or in the file of RFC 4716.
  ///
  /// - Throws: `PublicKeyFormatError`.
  public static func decode(_ bytes: [UInt8]) throws -> P256PublicKey {
    if let key = point(bytes) { return key }
    if bytes.first == 0x30 { return try key(subjectPublicKeyInfo: bytes) }
    let text = Handwritten.trimmed(String(decoding: bytes, as: UTF8.self))
    if text.hasPrefix("{") { return try jsonWebKey(text) }
    if text.contains("-----BEGIN"), let blocks = try? PEM.blocks(of: SecretBytes(bytes)) {
      let labels = ["PUBLIC KEY", "CERTIFICATE", "X509 CERTIFICATE"]
      guard let block = blocks.first(where: { labels.contains($0.label) }) else { throw PublicKeyFormatError.unknown }
      return try key(subjectPublicKeyInfo: block.content.withUnsafeBytes { Array($0) })
    }
    if let key = try SSHPublicKey.decode(text) { return key }
    let digits = text.filter { !$0.isWhitespace }
    // The keys of Web Push are points in the URL alphabet (RFC 8292, 3.2).
    if let decoded = Base64URL.decode(digits.utf8), let key = point(decoded) { return key }
    // Foundation also accepts non-canonical base64.
    guard let decoded = Data(base64Encoded: digits), decoded.base64EncodedString() == digits else {
      throw PublicKeyFormatError.unknown
    }
    if let key = point(Array(decoded)) { return key }
    return try key(subjectPublicKeyInfo: Array(decoded))
  }

  /// The key of a bare point, compressed or not (SEC 1, 2.3.4).
  private static func point(_ bytes: [UInt8]) -> P256PublicKey? {
    guard bytes.count == 33, bytes[0] == 2 || bytes[0] == 3 else { return try? P256PublicKey(point: bytes) }
    var info = P256PublicKey.head
    // The lengths of the sequence and of the BIT STRING are 32 bytes less.
    info[1] -= 32
    info[info.count - 2] -= 32
    return try? P256PublicKey(subjectPublicKeyInfo: info + bytes)
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
    // A set of keys (RFC 7517, 5) does not say which one is meant.
    guard let members = JSONMembers(text.utf8), !members.contains("keys") else {
      throw PublicKeyFormatError.unknown
    }
    guard members.string("kty") == "EC", members.string("crv") == "P-256",
      let x = members.string("x").flatMap({ Base64URL.decode($0.utf8) }),
      let y = members.string("y").flatMap({ Base64URL.decode($0.utf8) }), x.count == 32, y.count == 32,
      let key = try? P256PublicKey(point: [4] + x + y)
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
  /// Which of the keys in a file is meant is not known.
  case severalKeys
}

extension PublicKeyFormatError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .unknown:
      Failure(
        .usage, "The format of the public key is unknown.",
        remedy: "Use PEM, DER, base64, a point, JWK, SSH or a certificate.")
    case .severalKeys:
      Failure(.usage, "The file contains several P-256 keys.", remedy: "Use a file with one key.")
    case .notP256:
      Failure(.usage, "The public key is not a valid P-256 key.", remedy: "Use the key that made the signature.")
    }
  }
}
