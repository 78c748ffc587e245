#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The body of a message between desk and inspector. Every message is a JSON object with the member `version`.
package protocol FleetMessage: Codable, Sendable {}

/// The JSON form of messages and responses.
package enum FleetCoding {
  package static let version = 1

  /// The bytes of a message.
  package static func encode(_ message: some FleetMessage) throws -> [UInt8] {
    try bytes(Versioned(body: message))
  }

  /// The bytes of a response that states an error.
  package static func encode(_ error: FleetError) throws -> [UInt8] {
    try bytes(Versioned(body: Answer<NoBody>.failed(WireError(error))))
  }

  /// - Parameter limit: in bytes.
  /// - Throws: `FleetError` with the code `tooLarge`, `unknownVersion` or `malformed`.
  package static func decode<Body: FleetMessage>(
    _ type: Body.Type, from bytes: [UInt8], limit: Int
  ) throws(FleetError) -> Body {
    guard bytes.count <= limit else { throw FleetError(.tooLarge) }
    return try decode(Versioned<Body>.self, from: bytes).body
  }

  /// - Throws: the error that the response states; `FleetError` as `decode(_:from:limit:)`.
  package static func decode<Body: FleetMessage>(
    response type: Body.Type, from bytes: [UInt8], limit: Int
  ) throws(FleetError) -> Body {
    guard bytes.count <= limit else { throw FleetError(.tooLarge) }
    switch try decode(Versioned<Answer<Body>>.self, from: bytes).body {
    case .body(let body): return body
    case .failed(let error): throw error.error
    }
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(FleetError) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch let error as FleetError {
      throw error
    } catch {
      throw FleetError(.malformed)
    }
  }

  private static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return Array(try encoder.encode(value))
  }
}

/// A message with its version, both in one JSON object.
private struct Versioned<Body: Codable>: Codable {
  var body: Body

  private enum Key: String, CodingKey {
    case version
  }

  init(body: Body) { self.body = body }

  init(from decoder: any Decoder) throws {
    let version = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .version)
    guard version == FleetCoding.version else { throw FleetError(.unknownVersion) }
    body = try Body(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(FleetCoding.version, forKey: .version)
    try body.encode(to: encoder)
  }
}

/// The body of a response: what was asked for, or an error.
private enum Answer<Body: Codable>: Codable {
  case body(Body)
  case failed(WireError)

  private enum Key: String, CodingKey {
    case error
  }

  init(from decoder: any Decoder) throws {
    if let error = try decoder.container(keyedBy: Key.self).decodeIfPresent(WireError.self, forKey: .error) {
      self = .failed(error)
    } else {
      self = .body(try Body(from: decoder))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .body(let body): try body.encode(to: encoder)
    case .failed(let error):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(error, forKey: .error)
    }
  }
}

private struct NoBody: FleetMessage {}
