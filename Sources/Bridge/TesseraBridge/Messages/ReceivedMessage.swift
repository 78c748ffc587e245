import TesseraCore

/// What a message is for the host.
package enum ReceivedMessage: Sendable {
  case request(BridgeRequest)
  /// A request of another version of the protocol, which has a response.
  case otherVersion(VersionMismatch)
  case malformed(MalformedRequest)
  /// Without an identifier there is nothing that a response could name.
  case dropped(DroppedMessage)
}

extension MessageRouter {
  /// Reads a message that is already parsed.
  package func read(
    _ message: JSONValue, from caller: Caller, over connection: BridgeConnection
  ) -> ReceivedMessage {
    if let request = BridgeRequest(message: message, caller: caller, connection: connection, of: answered) {
      return .request(request)
    }
    if let mismatch = VersionMismatch(message), mismatch.response != nil { return .otherVersion(mismatch) }
    if let malformed = MalformedRequest(message, of: answered) { return .malformed(malformed) }
    if case .object = message { return .dropped(message["id"]?.stringValue == nil ? .noIdentifier : .ofHost) }
    return .dropped(.notAnObject)
  }
}

/// An object with an identifier that is not a request: a member is missing, or has another type or value than the
/// protocol's. It fails with `MALFORMED_REQUEST`, so that its client is not left to wait.
package struct MalformedRequest: Sendable, Equatable {
  /// The error code of the response.
  package static let code = "MALFORMED_REQUEST"

  /// The first member that is at fault, in the order of the protocol.
  package let member: String
  /// What is wrong, in a sentence that quotes nothing of the client but the name of a domain.
  package let problem: String
  /// The domain of the request, or `lifecycle` if it names none of the protocol.
  package let domain: BridgeDomain
  package let response: BridgeMessage

  /// - Returns: nil for a message without a text `id`, and for what a host sent: a client that sends everything back
  ///   would get an answer to each answer.
  init?(_ message: JSONValue, of domains: [String: BridgeDomain]) {
    guard case .object = message, let id = message["id"]?.stringValue,
      message["requestId"] == nil, message["event"] == nil
    else { return nil }
    let name = message["domain"]?.stringValue.flatMap { $0.isProtocolName ? $0 : nil }
    let known = name.flatMap { domains[$0] }
    let demand: String
    (member, demand) = Self.fault(in: message, isDomainKnown: known != nil)
    domain = known ?? .lifecycle
    problem =
      message[member] == nil
      ? "The request has no member \"\(member)\"."
      : "The member \"\(member)\" of the request must be \(demand)"
        + (member == "domain" ? Self.candidates(for: name, domains) : ".")
    let error = BridgeError(Self.code, problem, details: ["member": .string(member)])
    // A client that names a domain of its own waits for a response of that domain.
    response =
      if known == nil, let name {
        .refusal(to: id, domain: name, error)
      } else {
        .response(to: id, domain: domain, .failure(error))
      }
  }

  /// The end of the sentence: what was meant, or what there is.
  private static func candidates(for name: String?, _ domains: [String: BridgeDomain]) -> String {
    guard let quoted = name?.quotedName, let name else { return "." }
    return ", and \(quoted) is none.\(NearNames.hint(name, in: domains.keys.sorted()))"
  }

  private static func fault(in message: JSONValue, isDomainKnown: Bool) -> (member: String, demand: String) {
    if let type = message["type"], type != "request" { return ("type", "\"request\"") }
    if !isDomainKnown { return ("domain", "the name of a domain of this host") }
    if message["method"]?.stringValue == nil { return ("method", "a text") }
    guard case .object? = message["params"] else { return ("params", "an object") }
    if !BridgeRequest.isTime(message["timestamp"]) { return ("timestamp", "a number") }
    return ("version", "\(BridgeRequest.protocolVersion)")
  }
}

/// Why a message gets no response.
package enum DroppedMessage: String, Sendable, CaseIterable {
  case notJSON
  case notAnObject
  case noIdentifier
  /// A response or an event, which only a host sends.
  case ofHost
  case tooMany

  /// The end of a sentence, without text of the client.
  package var reason: String {
    switch self {
    case .notJSON: "it is not JSON"
    case .notAnObject: "it is not an object"
    case .noIdentifier: "it has no text as its \"id\", which a response could name"
    case .ofHost: "it is a response or an event itself"
    case .tooMany: "its client has sent too many requests, and it has no \"id\""
    }
  }
}
