/// A request of another version of the protocol than 1, or without a version. It fails with `UNSUPPORTED_VERSION` before
/// its domain, its method and its caller's rights are looked at.
public struct VersionMismatch: Sendable, Equatable {
  /// The error code of the response.
  package static let code = "UNSUPPORTED_VERSION"

  /// The version of the request: the digits of a number, otherwise the kind of the value, such as `text`; nil if the
  /// request has none. No text of the client is in it.
  public let received: String?
  /// The version that the host supports.
  public var expected: Int64 { BridgeRequest.protocolVersion }
  /// Whether to load the page again can help. A page that has another number was made for another host.
  public let isRecoverable: Bool
  /// The domain that the request names; nil if it names none of the protocol.
  package let domain: BridgeDomain?
  /// The response; nil if the request has no identifier or no domain, so that its client would discard it.
  package let response: BridgeMessage?
  /// Whether the message says that it is a request, and gets the response. Only such a message tells the host of a client
  /// of another version: a page may send its own objects by the same way.
  package let isOfClient: Bool

  /// - Returns: nil for a message of the supported version, and for one that is not a request.
  package init?(_ message: JSONValue) {
    guard case .object = message, message["type"] == nil || message["type"] == "request",
      !BridgeRequest.isSupported(message["version"])
    else { return nil }
    received = Self.kind(of: message["version"])
    switch message["version"] {
    case .integer, .number: isRecoverable = false
    default: isRecoverable = true
    }
    let name = message["domain"]?.stringValue.flatMap { $0.isProtocolName ? $0 : nil }
    domain = name.flatMap(BridgeDomain.init(rawValue:))
    response =
      if let id = message["id"]?.stringValue, let name {
        Self.response(to: id, domain, named: name)
      } else {
        nil
      }
    isOfClient = response != nil && message["type"] == "request"
  }

  private static func response(to id: String, _ domain: BridgeDomain?, named name: String) -> BridgeMessage {
    let error = BridgeError(code, "The bridge supports version \(BridgeRequest.protocolVersion) only.")
    guard let domain else { return .refusal(to: id, domain: name, error) }
    return .response(to: id, domain: domain, .failure(error))
  }

  private static func kind(of value: JSONValue?) -> String? {
    switch value {
    case nil: nil
    case .integer(let number): String(number)
    case .number(let number): String(number.text.prefix(20))
    case .null: "null"
    case .bool: "boolean"
    case .string: "text"
    case .array: "list"
    case .object: "object"
    }
  }
}
