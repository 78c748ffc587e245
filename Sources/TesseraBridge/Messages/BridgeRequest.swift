import TesseraCore

/// A request (the bridge protocol, section Requests).
public struct BridgeRequest: Sendable, Equatable {
  /// The supported version of the protocol.
  public static let protocolVersion: Int64 = 1

  public let id: String
  public let version: Int64
  public let domain: BridgeDomain
  /// The name of the method; empty for a name that no method can have (over 64 bytes, or not ASCII).
  public let method: String
  public let parameters: BridgeParameters
  /// The caller, as determined by the transport. Not part of the message.
  public let caller: Caller
  /// The connection, as determined by the transport. Not part of the message.
  public let connection: BridgeConnection

  public init(
    id: String, domain: BridgeDomain, method: String, parameters: BridgeParameters, caller: Caller = .local,
    connection: BridgeConnection = .only
  ) {
    self.id = id
    version = Self.protocolVersion
    self.domain = domain
    self.method = method
    self.parameters = parameters
    self.caller = caller
    self.connection = connection
  }

  /// Parses a message. Unknown keys are ignored.
  ///
  /// - Returns: nil for a message that is dropped without a response: not JSON, not an object, a missing field, a field
  ///   of the wrong type, another `type`, an unknown domain.
  package init?(text: some StringProtocol, caller: Caller = .local, connection: BridgeConnection = .only) {
    guard let message = try? JSONValue(text: text) else { return nil }
    self.init(message: message, caller: caller, connection: connection)
  }

  /// Reads a message that is already parsed.
  package init?(message: JSONValue, caller: Caller = .local, connection: BridgeConnection = .only) {
    guard case .object = message,
      message["type"] == nil || message["type"] == "request",
      let id = message["id"]?.stringValue,
      let version = Self.integer(message["version"]), Self.integer(message["timestamp"]) != nil,
      let domain = message["domain"]?.stringValue.flatMap(BridgeDomain.init(protocolName:)),
      let method = message["method"]?.stringValue,
      case .object(let parameters)? = message["params"]
    else { return nil }
    self.id = id
    self.version = version
    self.domain = domain
    self.method = method.isProtocolName ? method : ""
    self.parameters = BridgeParameters(parameters)
    self.caller = caller
    self.connection = connection
  }

  /// An integer, or its text. Any other number becomes `.min`, which is never a valid version: the request is answered
  /// with an error instead of being dropped.
  private static func integer(_ value: JSONValue?) -> Int64? {
    switch value {
    case .integer(let number): number
    case .number: .min
    case .string(let text): text.isProtocolName ? Int64(text) : nil
    default: nil
    }
  }
}
