public import Cryptography
public import Failures
import Foundation

/// How a signature is written.
public enum SignatureFormat: String, Sendable, CaseIterable {
  /// `Ecdsa-Sig-Value` (RFC 3279, 2.2.3); what `openssl dgst -verify` reads.
  case der
  /// `r || s`, 64 bytes.
  case raw
  /// The DER form as one line of base 64.
  case base64
  /// JWS compact serialisation, the payload in it.
  case jws

  /// The file of a signature in every form but `jws`.
  public func encode(_ signature: P256Signature) throws -> [UInt8] {
    switch self {
    case .der: try signature.der
    case .raw: signature.raw
    case .base64: Array((Data(try signature.der).base64EncodedString() + "\n").utf8)
    case .jws: JSONWebSignature.ending(signature)
    }
  }

  /// Reads a signature in DER, raw, or base 64 of one of them (either alphabet).
  ///
  /// - Throws: `SignatureError.malformed`.
  public static func decode(_ bytes: [UInt8]) throws -> P256Signature {
    if let signature = try binary(bytes) { return signature }
    let digits = bytes.filter { ![9, 10, 13, 32].contains($0) }.map { digit in
      digit == UInt8(ascii: "+") ? UInt8(ascii: "-") : digit == UInt8(ascii: "/") ? UInt8(ascii: "_") : digit
    }
    let unpadded = digits.prefix { $0 != UInt8(ascii: "=") }
    let padding = digits.dropFirst(unpadded.count)
    guard !digits.isEmpty, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
      padding.isEmpty || digits.count.isMultiple(of: 4) && padding.count <= 2, let decoded = Base64URL.decode(unpadded),
      let signature = try binary(decoded)
    else {
      throw SignatureError.malformed("it is neither DER, raw, base 64 nor JWS")
    }
    return signature
  }

  /// nil where it has neither form; throws where it has one, with numbers that cannot be.
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

  /// Whether a file begins like a compact JWS: a JSON object in base 64.
  public static func looksLikeJWS(_ head: [UInt8]) -> Bool { head.starts(with: Array("ey".utf8)) }
}

/// Why a signature does not hold.
public enum SignatureError: Error, Sendable, Equatable {
  case malformed(String)
  case otherAlgorithm
  /// The payload in the JWS is not the file beside it.
  case otherPayload
  /// It was made with another key, or over other bytes: which, nobody can tell.
  case wrong
}

extension SignatureError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .malformed(let what):
      Failure(
        .checkFailed, "The signature is malformed: \(what).", remedy: "See that it is the right file, and all of it.")
    case .otherAlgorithm:
      Failure(
        .checkFailed, "The JWS is signed with another algorithm than ES256.",
        remedy: "Only signatures on P-256 can be verified.")
    case .otherPayload:
      Failure(
        .checkFailed, "The signature is valid, but over another payload than this input.",
        remedy: "Take the payload that is in the JWS, or leave the file out.")
    case .wrong:
      Failure(
        .checkFailed, "The signature is wrong: another key made it, or the input was changed since.",
        remedy: "Trust neither the input nor the signature.")
    }
  }
}
