import Foundation
public import TesseraBridge
import TesseraCryptography
public import TestSupport

/// A pattern of the bridge vectors: JSON with matchers.
public struct Pattern: @unchecked Sendable {
  // `@unchecked Sendable`: JSONSerialization created the value without mutable containers, and it is only read.
  let value: Any?
  /// The key that verifies signatures in the actual value.
  var signer: P256PublicKey?

  init(value: Any?, signer: P256PublicKey? = nil) {
    self.value = value
    self.signer = signer
  }

  public init(_ vector: Vector) { self.init(value: vector.raw) }

  init(_ vector: Vector, signer: P256PublicKey?) { self.init(value: vector.raw, signer: signer) }

  /// The path and reason of the first mismatch; nil if `actual` matches.
  public func mismatch(_ actual: JSONValue?, at path: String = "$") -> String? {
    if let matcher = (value as? [String: Any])?["$match"] as? String { return match(matcher, actual, path) }
    switch value {
    case nil: return actual == nil ? nil : "\(path): expected no value"
    case is NSNull: return actual == .null ? nil : "\(path): expected null"
    case let members as [String: Any]:
      guard case .object(let found)? = actual else { return "\(path): expected an object" }
      let expected = members.filter { $0.key != "$extra" }
      for (key, pattern) in expected {
        if let mismatch = Pattern(value: pattern, signer: signer).mismatch(found[key], at: "\(path).\(key)") {
          return mismatch
        }
      }
      let extra = found.members.first { expected[$0.name] == nil && $0.value != .null }
      if members["$extra"] == nil, let extra {
        return "\(path).\(extra.name): unexpected"
      }
      return nil
    case let elements as [Any]:
      guard case .array(let found)? = actual, found.count == elements.count else {
        return "\(path): expected \(elements.count) elements"
      }
      for (index, pattern) in elements.enumerated() {
        if let mismatch = Pattern(value: pattern, signer: signer).mismatch(found[index], at: "\(path)[\(index)]") {
          return mismatch
        }
      }
      return nil
    default:
      let data = value.flatMap { try? JSONSerialization.data(withJSONObject: $0, options: .fragmentsAllowed) }
      let expected = data.flatMap { try? JSONValue(text: String(decoding: $0, as: UTF8.self)) }
      return actual == expected
        ? nil : "\(path): expected \(expected?.text ?? "?"), found \(actual?.text ?? "no value")"
    }
  }

  private func match(_ matcher: String, _ actual: JSONValue?, _ path: String) -> String? {
    let fits: Bool
    switch matcher {
    case "uuid": fits = actual?.stringValue.flatMap(UUID.init) != nil
    case "epochMs":
      if case .integer(let time)? = actual {
        fits = abs(time - Int64(Date.now.timeIntervalSince1970 * 1000)) < 60_000
      } else {
        fits = false
      }
    case "string": fits = actual?.stringValue?.isEmpty == false
    case "any": fits = true
    case "object": if case .object? = actual { fits = true } else { fits = false }
    case "base64": return matchBase64(actual, path)
    case "absentOrNull": fits = actual == nil || actual == .null
    default: fits = false
    }
    return fits ? nil : "\(path): does not match \(matcher)"
  }

  private func matchBase64(_ actual: JSONValue?, _ path: String) -> String? {
    guard let text = actual?.stringValue, let bytes = Data(base64Encoded: text).map(Array.init) else {
      return "\(path): is not base64"
    }
    let members = value as? [String: Any] ?? [:]
    if let length = members["decodedLength"] as? Int, bytes.count != length { return "\(path): has the wrong length" }
    if let first = members["firstByte"] as? Int, bytes.first.map(Int.init) != first {
      return "\(path): has the wrong first byte"
    }
    guard members["format"] as? String == "ecdsa-p256-der" else { return nil }
    guard let signature = try? P256Signature(der: bytes) else { return "\(path): is not a DER signature" }
    // The messages that the vectors sign.
    let messages = ["attack at dawn", ""].compactMap { try? HashAlgorithm.sha256.digest(of: Array($0.utf8)) }
    let isValid = messages.contains { digest in (try? signer?.verify(signature, digest: digest)) == true }
    return isValid ? nil : "\(path): is not a signature of this key"
  }
}
