public import Cryptography
public import Failures
import Foundation

/// How a public key is written.
public enum PublicKeyFormat: String, Sendable, CaseIterable {
  /// `SubjectPublicKeyInfo` in PEM (RFC 7468, 13).
  case pem
  case der
  /// The DER form as one line of base 64.
  case base64
  /// The uncompressed point, 65 bytes.
  case point
  /// JSON Web Key (RFC 7518, 6.2).
  case jwk
  /// A line for `authorized_keys` (RFC 5656, 3.1).
  case ssh

  public var isBinary: Bool { self == .der || self == .point }

  /// - Parameter comment: the end of the SSH line.
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

  /// Reads a key in any of the forms.
  ///
  /// - Throws: `PublicKeyFormatError` where it is none of them, or not on P-256.
  public static func decode(_ bytes: [UInt8]) throws -> P256PublicKey {
    if let key = try? P256PublicKey(point: bytes) { return key }
    if bytes.first == 0x30 { return try key(subjectPublicKeyInfo: bytes) }
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if text.hasPrefix("{") { return try jsonWebKey(text) }
    if text.hasPrefix(sshType + " ") { return try sshKey(text) }
    if text.contains("-----BEGIN"), let blocks = try? PEM.blocks(of: SecretBytes(bytes)) {
      guard let block = blocks.first(where: { $0.label == "PUBLIC KEY" }) else { throw PublicKeyFormatError.unknown }
      return try key(subjectPublicKeyInfo: block.content.withUnsafeBytes { Array($0) })
    }
    let digits = text.filter { !$0.isWhitespace }
    // Foundation also takes some texts that no encoder writes.
    guard let decoded = Data(base64Encoded: digits), decoded.base64EncodedString() == digits else {
      throw PublicKeyFormatError.unknown
    }
    if let key = try? P256PublicKey(point: decoded) { return key }
    return try key(subjectPublicKeyInfo: Array(decoded))
  }

  private static func key(subjectPublicKeyInfo bytes: [UInt8]) throws -> P256PublicKey {
    do {
      return try P256PublicKey(subjectPublicKeyInfo: bytes)
    } catch {
      throw PublicKeyFormatError.notP256
    }
  }

  // MARK: - JWK

  private static func text(_ coordinate: [UInt8]) -> String {
    String(decoding: Base64URL.encode(coordinate), as: UTF8.self)
  }

  private static func jsonWebKey(_ text: String) throws -> P256PublicKey {
    guard let fields = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      throw PublicKeyFormatError.unknown
    }
    guard fields["kty"] as? String == "EC", fields["crv"] as? String == "P-256",
      let x = (fields["x"] as? String).flatMap({ Base64URL.decode($0.utf8) }),
      let y = (fields["y"] as? String).flatMap({ Base64URL.decode($0.utf8) }), x.count == 32, y.count == 32,
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

  /// A comment ends at the end of its line.
  private static func word(_ text: String) -> String {
    String(text.map { $0.isNewline || $0.isWhitespace ? "_" : $0 })
  }
}

/// Why a public key cannot be read.
public enum PublicKeyFormatError: Error, Sendable, Equatable {
  case unknown
  case notP256
}

extension PublicKeyFormatError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .unknown:
      Failure(
        .usage, "This is no public key in a form known here.", remedy: "Give PEM, DER, base 64, a point, JWK or SSH.")
    case .notP256: Failure(.usage, "This is no valid public key on P-256.", remedy: "Give the key of the signature.")
    }
  }
}
