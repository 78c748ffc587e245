public import Cryptography
import Foundation

/// JWS compact serialisation with ES256 (RFC 7515, 3.1; RFC 7518, 3.4), written and read in pieces so that the payload
/// may be larger than memory.
public enum JSONWebSignature {
  /// The header that is written.
  static let header = Array(#"{"alg":"ES256"}"#.utf8)

  /// Turns a payload into the text before the signature and the digest that is signed.
  public struct Writer {
    private let digest: RunningDigest
    /// Bytes of the payload that do not fill a group of three yet.
    private var rest: [UInt8] = []
    private var hasBegun = false
    /// In base 64.
    private let header: [UInt8]

    public init() throws { try self.init(header: Base64URL.encode(JSONWebSignature.header)) }

    /// - Parameter header: that of a signature that is there already, in base 64.
    public init(header: [UInt8]) throws {
      digest = try RunningDigest(.sha256)
      self.header = header
    }

    /// The next part of the text.
    public mutating func encode(_ payload: some Collection<UInt8>) throws -> [UInt8] {
      rest += payload
      let whole = rest.count - rest.count % 3
      let text = begin() + Base64URL.encode(rest.prefix(whole))
      rest.removeFirst(whole)
      try digest.update(text)
      return text
    }

    /// The last part before the signature, and what the signature is to be over.
    public mutating func finish() throws -> (text: [UInt8], digest: [UInt8]) {
      let text = begin() + Base64URL.encode(rest)
      try digest.update(text)
      return (text, try digest.finish())
    }

    private mutating func begin() -> [UInt8] {
      guard !hasBegun else { return [] }
      hasBegun = true
      return header + [UInt8(ascii: ".")]
    }
  }

  /// The part after the text.
  public static func ending(_ signature: P256Signature) -> [UInt8] {
    [UInt8(ascii: ".")] + Base64URL.encode(signature.raw)
  }

  /// A token taken apart.
  public struct Parts: Sendable {
    /// In base 64.
    public let header: [UInt8]
    public let signature: P256Signature
    /// What the signature is over.
    public let digest: [UInt8]
    /// The payload's own SHA-256 digest; nil where the token holds none: it is empty or detached.
    public let payload: [UInt8]?
  }

  /// Takes a token apart.
  public struct Reader {
    private static let longestHeader = 16_384
    private let digest: RunningDigest
    private let payloadDigest: RunningDigest
    private var header: [UInt8] = []
    private var group: [UInt8] = []
    private var signature: [UInt8] = []
    private var dots = 0
    private var payloadLength = 0

    public init() throws {
      digest = try RunningDigest(.sha256)
      payloadDigest = try RunningDigest(.sha256)
    }

    /// - Throws: `SignatureError` for what is no JWS.
    public mutating func read(_ token: some Collection<UInt8>) throws {
      var rest = Array(token)[...]
      while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
        try take(rest[..<dot])
        dots += 1
        guard dots <= 2 else { throw SignatureError.malformed("a compact JWS has three parts") }
        if dots == 1 {
          try checkHeader()
          try digest.update([UInt8(ascii: ".")])
        }
        rest = rest[(dot + 1)...]
      }
      try take(rest)
    }

    private mutating func take(_ piece: ArraySlice<UInt8>) throws {
      switch dots {
      case 0:
        header += piece
        guard header.count <= Self.longestHeader else { throw SignatureError.malformed("the header of the JWS") }
        try digest.update(piece)
      case 1:
        try digest.update(piece)
        group += piece
        payloadLength += piece.count
        let whole = group.count - group.count % 4
        try decode(group.prefix(whole))
        group.removeFirst(whole)
      default:
        signature += piece
        guard signature.count <= 256 else { throw SignatureError.malformed("the signature of the JWS") }
      }
    }

    private func decode(_ digits: some Collection<UInt8>) throws {
      guard let bytes = Base64URL.decode(digits) else { throw SignatureError.malformed("the payload of the JWS") }
      try payloadDigest.update(bytes)
    }

    /// Only the algorithm that this key is for, and no extension that would change the meaning (RFC 7515, 4.1.11).
    private func checkHeader() throws {
      guard let json = Base64URL.decode(header),
        let fields = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
      else { throw SignatureError.malformed("the header of the JWS") }
      guard fields["alg"] as? String == "ES256" else { throw SignatureError.otherAlgorithm }
      guard fields["crit"] == nil, fields["b64"] == nil else {
        throw SignatureError.malformed("the header of the JWS has extensions that are not known here")
      }
    }

    public mutating func finish() throws -> Parts {
      guard dots == 2 else { throw SignatureError.malformed("a compact JWS has three parts") }
      try decode(group)
      while signature.last.map({ [10, 13, 32].contains($0) }) ?? false { signature.removeLast() }
      guard let raw = Base64URL.decode(signature), let parsed = try? P256Signature(raw: raw) else {
        throw SignatureError.malformed("the signature of the JWS")
      }
      return Parts(
        header: header, signature: parsed, digest: try digest.finish(),
        payload: payloadLength == 0 ? nil : try payloadDigest.finish())
    }
  }
}
