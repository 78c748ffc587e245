import Synchronization
import TesseraCore

/// A request (the bridge protocol, section Requests).
public struct BridgeRequest: Sendable, Equatable {
  /// The supported version of the protocol.
  public static let protocolVersion: Int64 = 1

  public let id: String
  public let domain: BridgeDomain
  /// The name of the method; empty for a name that no method can have (over 64 bytes, or not ASCII).
  public let method: String
  public let parameters: BridgeParameters
  /// The caller, as determined by the transport. Not part of the message.
  public let caller: Caller
  /// The connection, as determined by the transport. Not part of the message.
  public let connection: BridgeConnection

  /// A request that the program makes itself.
  ///
  /// - Parameters:
  ///   - id: the identifier that the response repeats.
  ///   - domain: whose handler answers.
  ///   - method: the name of the method.
  ///   - parameters: those of the method.
  ///   - caller: for whom the program asks. By default it is the user, whose keys sign without a question: never for a page.
  ///   - connection: the connection of the request, if the router has several.
  public init(
    id: String, domain: BridgeDomain, method: String, parameters: BridgeParameters, caller: Caller = .local,
    connection: BridgeConnection = .only
  ) {
    self.id = id
    self.domain = domain
    self.method = method
    self.parameters = parameters
    self.caller = caller
    self.connection = connection
  }

  /// Whether the domain may have the method. False only where all of its methods are known: a host's own domain, or its
  /// own handler of `custody`, can have more than it lists.
  package var mayHaveMethod: Bool {
    domain == .custody || !domain.isPublished || domain.methods.contains(method)
  }

  /// Parses a message. Unknown keys are ignored.
  ///
  /// - Returns: nil for what is not a request: not JSON, not an object, a missing field, a field of the wrong type, another
  ///   `type`, an unknown domain (`MalformedRequest`); and for one of another version (`VersionMismatch`).
  package init?(text: some StringProtocol, caller: Caller = .local, connection: BridgeConnection = .only) {
    guard let message = try? JSONValue(text: text) else { return nil }
    self.init(message: message, caller: caller, connection: connection)
  }

  /// Reads a message that is already parsed.
  ///
  /// - Parameter domains: the known domains by their names.
  init?(
    message: JSONValue, caller: Caller = .local, connection: BridgeConnection = .only,
    of domains: [String: BridgeDomain] = BridgeDomain.publishedByName
  ) {
    guard case .object = message,
      message["type"] == nil || message["type"] == "request",
      let id = message["id"]?.stringValue,
      Self.isSupported(message["version"]), Self.isTime(message["timestamp"]),
      let name = message["domain"]?.stringValue, name.isProtocolName, let domain = domains[name],
      let method = message["method"]?.stringValue,
      case .object(let parameters)? = message["params"]
    else { return nil }
    self.id = id
    self.domain = domain
    self.method = method.isProtocolName ? method : ""
    self.parameters = BridgeParameters(parameters)
    self.caller = caller
    self.connection = connection
  }

  /// Whether this is the number 1 in any notation of JSON. Its text is another version: the React Native SDK compares
  /// without a conversion (its MessageRouter of pull request 2123).
  static func isSupported(_ version: JSONValue?) -> Bool {
    switch version {
    case .integer(let number): number == protocolVersion
    case .number(let number): number.double == Double(protocolVersion)
    default: false
    }
  }

  /// Whether this is a number, or the text of an integer.
  static func isTime(_ value: JSONValue?) -> Bool {
    switch value {
    case .integer, .number: true
    case .string(let text): text.isProtocolName && Int64(text) != nil
    default: false
    }
  }
}

/// The identity of one connection to the router: a socket connection or a window. A connection can stop only its own
/// scans, even if other connections have the same caller.
public struct BridgeConnection: Sendable, Hashable {
  private static let count = Atomic<UInt64>(0)
  private let number: UInt64

  /// Creates a connection that differs from all others.
  public init() { number = Self.count.add(1, ordering: .relaxed).newValue }

  /// The connection of a router with a single client.
  public static let only = BridgeConnection()
}
