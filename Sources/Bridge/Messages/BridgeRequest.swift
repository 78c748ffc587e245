/// A request envelope.
public struct BridgeRequest: Sendable, Equatable {
  /// The version of the protocol that this end speaks.
  public static let protocolVersion: Int64 = 1

  public let id: String
  public let version: Int64
  public let domain: BridgeDomain
  /// Empty where content sent what cannot be the name of a method: a long text, or one beyond ASCII.
  public let method: String
  public let parameters: BridgeParameters
  /// Not part of the message, as is the next: known from the way it came.
  public let caller: BridgeCaller
  public let connection: BridgeConnection

  public init(
    id: String, domain: BridgeDomain, method: String, parameters: BridgeParameters, caller: BridgeCaller = .local,
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

  /// nil for what the protocol says is dropped without an answer: no JSON, no object, a required field that is
  /// missing or of the wrong type, another `type`, an unknown domain. Unknown keys are ignored.
  public init?(text: some StringProtocol, caller: BridgeCaller = .local, connection: BridgeConnection = .only) {
    guard let message = try? JSONValue(text: text) else { return nil }
    self.init(message: message, caller: caller, connection: connection)
  }

  /// The same for a text that has been read already.
  public init?(message: JSONValue, caller: BridgeCaller = .local, connection: BridgeConnection = .only) {
    guard case .object = message,
      message["type"] == nil || message["type"] == "request",
      let id = message["id"]?.stringValue,
      let version = Self.integer(message["version"]), Self.integer(message["timestamp"]) != nil,
      let domain = message["domain"]?.stringValue.flatMap(BridgeDomain.init(word:)),
      let method = message["method"]?.stringValue,
      case .object(let parameters)? = message["params"]
    else { return nil }
    self.id = id
    self.version = version
    self.domain = domain
    self.method = method.isWord ? method : ""
    self.parameters = BridgeParameters(parameters)
    self.caller = caller
    self.connection = connection
  }

  /// A JSON integer, or one in quotes. One of any other size, or with a fraction, is a number all the same, and none
  /// that is expected anywhere.
  private static func integer(_ value: JSONValue?) -> Int64? {
    switch value {
    case .integer(let number): number
    case .number: .min
    case .string(let text): text.isWord ? Int64(text) : nil
    default: nil
    }
  }
}
