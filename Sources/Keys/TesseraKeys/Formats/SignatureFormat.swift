import FoundationEssentials
public import TesseraCore
public import TesseraCryptography

/// The file formats of a signature.
public enum SignatureFormat: String, Sendable, CaseIterable {
  /// `Ecdsa-Sig-Value` (RFC 3279, 2.2.3); the format of `openssl dgst -verify`.
  case der
  /// `r || s`, 64 bytes.
  case raw
  /// The DER format as one line of base64.
  case base64
  /// JWS compact serialisation with embedded payload.
  case jws

  /// Encodes a signature. The result for `jws` is only the part after the payload.
  public func encode(_ signature: P256Signature) throws -> [UInt8] {
    switch self {
    case .der: try signature.der
    case .raw: signature.raw
    case .base64: Array((Data(try signature.der).base64EncodedString() + "\n").utf8)
    case .jws: JSONWebSignature.ending(signature)
    }
  }

  /// Decodes a signature in DER, raw form, or base64 of either (standard or URL alphabet).
  ///
  /// - Throws: `SignatureError.malformed`.
  public static func decode(_ bytes: [UInt8]) throws -> P256Signature {
    if let signature = try binary(bytes) { return signature }
    let digits = Handwritten.withoutMark(bytes).filter { ![9, 10, 13, 32].contains($0) }.map { digit in
      digit == UInt8(ascii: "+") ? UInt8(ascii: "-") : digit == UInt8(ascii: "/") ? UInt8(ascii: "_") : digit
    }
    let unpadded = digits.prefix { $0 != UInt8(ascii: "=") }
    let padding = digits.dropFirst(unpadded.count)
    guard !digits.isEmpty, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
      padding.isEmpty || digits.count.isMultiple(of: 4) && padding.count <= 2, let decoded = Base64URL.decode(unpadded),
      let signature = try binary(decoded)
    else {
      throw SignatureError.malformed("it is neither DER, raw, base64 nor JWS")
    }
    return signature
  }

  /// Decodes DER or raw form; nil for other forms. Throws if r or s is out of range.
  private static func binary(_ bytes: [UInt8]) throws -> P256Signature? {
    do {
      return try P256Signature(der: bytes)
    } catch CryptographyError.malformed(let what) where what.contains("out of range") {
      throw SignatureError.malformed("r or s is out of range")
    } catch {
      guard bytes.count == 64 else { return nil }
    }
    guard let signature = try? P256Signature(raw: bytes) else {
      throw SignatureError.malformed("r or s is out of range")
    }
    return signature
  }

  /// Whether a file begins like a compact JWS: with a base64url-encoded JSON object. White space may be before and behind
  /// its brace (RFC 8259, 2), so that not every one begins with `ey`.
  public static func looksLikeJWS(_ head: [UInt8]) -> Bool {
    if head.starts(with: "ey".utf8) { return true }
    let digits = head.prefix { $0 != UInt8(ascii: ".") }.prefix(64)
    let text = Base64URL.decode(digits.prefix(digits.count / 4 * 4)) ?? []
    return text.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "{")
  }
}

/// The reason why a signature cannot be verified.
public enum SignatureError: Error, Sendable, Equatable {
  case malformed(String)
  /// The algorithm of the JWS is not ES256.
  case unsupportedAlgorithm
  /// The payload of the JWS differs from the given file.
  case payloadMismatch
  /// The signature does not match: another key signed, or the data was changed.
  case invalid
}

extension SignatureError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .malformed(let what):
      Failure(
        .checkFailed, "The signature is malformed: \(what).",
        remedy: "Check that the file is the right one and complete.")
    case .unsupportedAlgorithm:
      Failure(
        .checkFailed, "The algorithm of the JWS is not ES256.",
        remedy: "Use a signature on P-256.")
    case .payloadMismatch:
      Failure(
        .checkFailed, "The signature is valid, but its payload differs from this input.",
        remedy: "Omit the file, or use the payload of the JWS.")
    case .invalid:
      Failure(
        .checkFailed, "The signature is invalid: it was made with another key, or the input was changed.",
        remedy: "Do not trust the input.")
    }
  }
}
