import FoundationEssentials
public import TesseraCryptography

/// JWS compact serialisation with ES256 (RFC 7515, 3.1; RFC 7518, 3.4), written and read incrementally: the payload can
/// be larger than memory.
public enum JSONWebSignature {
  /// The JSON header of new signatures.
  static let header = Array(#"{"alg":"ES256"}"#.utf8)

  /// Encodes a payload into the JWS signing input, and computes the digest to sign.
  public struct Writer {
    private let digest: RunningDigest
    /// The bytes after the last complete group of three.
    private var rest: [UInt8] = []
    private var hasBegun = false
    /// Base64url.
    private let header: [UInt8]

    public init() throws { try self.init(header: Base64URL.encode(JSONWebSignature.header)) }

    /// - Parameter header: the header of an existing signature, in base64url.
    public init(header: [UInt8]) throws {
      digest = try RunningDigest(.sha256)
      self.header = header
    }

    /// Encodes the next part of the payload.
    public mutating func encode(_ payload: some Collection<UInt8>) throws -> [UInt8] {
      rest += payload
      let whole = rest.count - rest.count % 3
      let text = begin() + Base64URL.encode(rest.prefix(whole))
      rest.removeFirst(whole)
      try digest.update(text)
      return text
    }

    /// The end of the signing input, and its digest.
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

  /// The part after the signing input: a dot and the signature.
  public static func ending(_ signature: P256Signature) -> [UInt8] {
    [UInt8(ascii: ".")] + Base64URL.encode(signature.raw)
  }

  /// The parts of a JWS.
  public struct Parts: Sendable {
    /// Base64url.
    public let header: [UInt8]
    public let signature: P256Signature
    /// The digest of the signing input.
    public let digest: [UInt8]
    /// The SHA-256 digest of the payload; nil if it is empty or detached.
    public let payload: [UInt8]?
  }

  /// Parses a JWS.
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

    /// Parses the next part of the JWS.
    ///
    /// - Throws: `SignatureError`.
    public mutating func read(_ token: some Collection<UInt8>) throws {
      var rest = Array(token)[...]
      while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
        try append(rest[..<dot])
        dots += 1
        guard dots <= 2 else { throw SignatureError.malformed("a compact JWS has three parts") }
        if dots == 1 {
          try checkHeader()
          try digest.update([UInt8(ascii: ".")])
        }
        rest = rest[(dot + 1)...]
      }
      try append(rest)
    }

    private mutating func append(_ piece: ArraySlice<UInt8>) throws {
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

    /// Accepts ES256 without critical extensions (RFC 7515, 4.1.11).
    private func checkHeader() throws {
      guard let json = Base64URL.decode(header),
        let members = JSONMembers(json)
      else { throw SignatureError.malformed("the header of the JWS") }
      guard members.string("alg") == "ES256" else { throw SignatureError.unsupportedAlgorithm }
      guard !members.contains("crit"), !members.contains("b64") else {
        throw SignatureError.malformed("the header of the JWS has unsupported extensions")
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

/// The members of a JSON object. Of two members with one name, the last one counts (RFC 7515, 4; RFC 7517, 4), whereas
/// `JSONDecoder` reads the first.
struct JSONMembers {
  /// The JSON texts of the values.
  private var values: [String: ArraySlice<UInt8>] = [:]

  /// nil if the text is not a JSON object in UTF-8.
  init?(_ text: some Collection<UInt8>) {
    let text = Array(text)
    guard (try? JSONDecoder().decode(AnyObject.self, from: Data(text))) != nil else { return nil }
    var (depth, index) = (0, text.startIndex)
    var name: String?
    var valueStart = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""):
        let start = index
        index += 1
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        if depth == 1, name == nil {
          guard index < text.endIndex, let decoded = Self.string(text[start...index]) else { return nil }
          name = decoded
        }
      case UInt8(ascii: ":") where depth == 1: valueStart = index + 1
      case UInt8(ascii: ",") where depth == 1:
        if let name { values[name] = text[valueStart..<index] }
        name = nil
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, let name { values[name] = text[valueStart..<index] }
      default: break
      }
      index += 1
    }
  }

  func contains(_ name: String) -> Bool { values[name] != nil }

  /// The value of a member; nil if it is missing or not a string.
  func string(_ name: String) -> String? { values[name].flatMap(Self.string) }

  private static func string(_ text: ArraySlice<UInt8>) -> String? {
    try? JSONDecoder().decode(String.self, from: Data(text))
  }

  /// Any JSON object.
  private struct AnyObject: Decodable {
    private enum NoKeys: CodingKey {}

    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: NoKeys.self) }
  }
}
