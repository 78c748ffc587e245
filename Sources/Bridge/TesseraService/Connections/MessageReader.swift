import Logging
import NIOCore
import TesseraBridge
import TesseraCore

/// Parses the messages of one connection and begins their requests. All work whose cost grows with the length of a
/// message happens here, on any thread, including the release of the parsed message.
struct MessageReader: Sendable {
  enum Outcome: Sendable {
    case begun(BridgeDomain, Task<Void, Never>)
    case refused(BridgeMessage)
    case dropped(DroppedMessage)
    case closed(ClosingReason)
  }

  let core: ServiceCore
  let caller: Caller
  let grants: ConnectionGrants
  let connection: BridgeConnection

  /// - Parameters:
  ///   - excess: the response to any request, if the client has sent too many.
  ///   - earlier: the requests that a request waits for, by domain.
  ///   - send: receives the encoded events of the request, then its encoded response, on any thread.
  ///   - end: is called after the response.
  func read(
    _ message: Incoming, excess: BridgeError?, after earlier: [BridgeDomain: Task<Void, Never>],
    send: @escaping @Sendable ([UInt8]) -> Void, end: @escaping @Sendable () -> Void
  ) -> Outcome {
    switch message {
    case .message(let text):
      if let excess { return refused(text.utf8, excess) ?? .dropped(.tooMany) }
      return read(text, after: earlier, send: send, end: end)
    case .refused(let beginning, _, let reason):
      let error = excess ?? BridgeError(reason.rawValue, reason.message)
      return refused(beginning.readableBytesView, error)
        ?? (reason == .malformedText ? .dropped(.notJSON) : .closed(reason))
    }
  }

  private func read(
    _ text: String, after earlier: [BridgeDomain: Task<Void, Never>], send: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping @Sendable () -> Void
  ) -> Outcome {
    let message: JSONValue
    do {
      message = try JSONValue(text: text)
    } catch {
      if let error = BridgeError(error), let outcome = refused(text.utf8, error) { return outcome }
      return error.reason == .nesting ? .closed(.nestingTooDeep) : .dropped(.notJSON)
    }
    let request: BridgeRequest
    switch core.router.read(message, from: caller, over: connection) {
    case .request(let read): request = read
    case .otherVersion(let mismatch):
      guard let response = mismatch.response else { return .dropped(.noIdentifier) }
      core.measures.refused(mismatch.domain ?? .lifecycle, VersionMismatch.code)
      if mismatch.isOfClient { core.logRefusal(of: caller, mismatch) }
      return .refused(response)
    case .malformed(let malformed):
      core.measures.refused(malformed.domain, MalformedRequest.code)
      core.logRefusal(of: caller, malformed)
      return .refused(malformed.response)
    case .dropped(let reason): return .dropped(reason)
    }
    var question: AskedGrants?
    if !grants.allows(caller, request.domain, request.method) {
      // No grant would help.
      guard request.mayHaveMethod else {
        core.logUnknownMethod(of: request)
        core.measures.refused(request.domain, BridgeError.methodNotFoundCode)
        return .refused(
          .response(to: request.id, domain: request.domain, .failure(BridgeError.methodNotFound(request))))
      }
      let asked = AskedGrants.concerns(caller) ? core.asked : nil
      switch asked.map({ $0.decision(request) }) ?? .some(false) {
      case true?: break
      case false?:
        return refused(
          request.id, request.domain, Self.notAllowed(caller, request, grants.current), wanting: request.method)
      case nil: question = asked
      }
    }
    let isExplained = caller == .local && ExplainedResponse.isRequested(by: message)
    return .begun(
      request.domain,
      begin(request, question, isExplained: isExplained, after: earlier[request.domain], send: send, end: end))
  }

  /// A page of this machine, whose developer reads it, learns the command that would grant the method. It contains
  /// nothing that the page does not know. The user must run it.
  private static func notAllowed(
    _ caller: Caller, _ request: BridgeRequest, _ current: CurrentGrants,
    _ message: String = "This caller has no grant for this method."
  ) -> BridgeError {
    guard AskedGrants.concerns(caller), request.domain.methods.contains(request.method),
      // A denial outweighs every grant.
      current.decision(caller, request.domain, request.method) == .undecided
    else { return BridgeError("NOT_ALLOWED", message) }
    let grant = Grant.lacking(caller, request.domain, request.method)
    return BridgeError("NOT_ALLOWED", message, details: ["command": .string(grant.command)])
  }

  /// The error if the user does not allow the request.
  ///
  /// - Parameter question: asks the user; nil if there is nothing to ask.
  private func refusal(of request: BridgeRequest, asking question: AskedGrants?) async -> BridgeError? {
    switch await question?.answer(caller, request.domain, over: request.connection) {
    case nil, .always?, .once?: nil
    case .never?, .notNow?: BridgeError("NOT_ALLOWED", "The user did not allow this page to do that.")
    case .notShown?:
      Self.notAllowed(caller, request, grants.current, "No dialog could be shown, so that nobody was asked.")
    }
  }

  /// nil if the message has no identifier that a response could name.
  private func refused(_ beginning: some Collection<UInt8>, _ error: BridgeError) -> Outcome? {
    guard let head = core.router.head(of: beginning) else { return nil }
    return refused(head.id, head.domain, error)
  }

  /// - Parameter method: the method whose grant is missing, if that is the reason.
  private func refused(
    _ id: String, _ domain: BridgeDomain, _ refusal: BridgeError, wanting method: String? = nil
  ) -> Outcome {
    core.measures.refused(domain, refusal.code)
    core.logRefusal(of: caller, domain, refusal.code, wanting: method)
    return .refused(.response(to: id, domain: domain, .failure(refusal)))
  }

  /// - Parameter question: asks the user before the request begins.
  private func begin(
    _ request: BridgeRequest, _ question: AskedGrants?, isExplained: Bool, after earlier: Task<Void, Never>?,
    send: @escaping @Sendable ([UInt8]) -> Void, end: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    let begin = NIODeadline.now()
    // Immediate: most responses need no suspension, and a scan is registered before the next message, which may cancel
    // it.
    return Task.immediate { [core, caller] in
      await earlier?.value
      let answer: @Sendable (BridgeMessage) -> Void = { message in
        let bytes = isExplained ? ExplainedResponse.encoded(message) : message.encoded()
        core.rate.charge(caller, for: message, bytes: bytes.count)
        if case .response(_, _, let outcome) = message {
          core.measures.answered(request, outcome, since: begin)
          if case .failure(let error) = outcome {
            core.logFailure(of: request, error)
            if error.code == BridgeError.methodNotFoundCode { core.logUnknownMethod(of: request) }
          }
        }
        send(bytes)
      }
      // The cost of the earlier requests is known only now.
      if earlier != nil, core.rate.isOverdrawn(caller) {
        answer(.response(to: request.id, domain: request.domain, .failure(RequestRate.tooFast)))
      } else if let refusal = await refusal(of: request, asking: question) {
        answer(.response(to: request.id, domain: request.domain, .failure(refusal)))
      } else {
        await core.router.route(request, send: answer)
      }
      end()
    }
  }
}

/// Failed responses that carry the underlying `Failure`: `tessera call` needs it for its exit status and remedy. A
/// request of a local program with `"explained": true` receives a failed response with an additional member `failure`.
/// All other clients receive responses as the protocol defines them.
enum ExplainedResponse {
  static let member = "explained"

  static func isRequested(by message: JSONValue) -> Bool { message[member] == true }

  static func encoded(_ message: BridgeMessage) -> [UInt8] {
    guard case .response(_, _, .failure(let error)) = message, let failure = error.failure else {
      return message.encoded()
    }
    let explanation: JSONValue = [
      "kind": .string(failure.kind.rawValue), "cause": .string(failure.cause),
      "remedy": failure.remedy.map(JSONValue.string) ?? .null,
      "details": .object(JSONObject(failure.details.mapValues(JSONValue.string))),
    ]
    return message.encoded(adding: [("failure", explanation)])
  }

  /// The error of a failed response, as it was in the service.
  static func error(_ answer: JSONValue) -> BridgeError {
    let error = answer["error"]
    let details = error?["details"]
    return BridgeError(
      error?["code"]?.stringValue ?? "INTERNAL_ERROR", error?["message"]?.stringValue ?? "The response has no error.",
      details: details == .null ? nil : details, failure: answer["failure"].flatMap(failure))
  }

  private static func failure(_ value: JSONValue) -> Failure? {
    guard let kind = value["kind"]?.stringValue.flatMap(FailureKind.init(rawValue:)),
      let cause = value["cause"]?.stringValue
    else { return nil }
    var details: [String: String] = [:]
    if case .object(let members)? = value["details"] {
      for member in members.members { details[member.name] = member.value.stringValue }
    }
    return Failure(kind, cause, remedy: value["remedy"]?.stringValue, details: details)
  }
}

/// One message as a framing receives it.
enum Incoming: Sendable {
  case message(String)
  /// A message that the service does not accept, by its beginning: the request's identifier may be found there, so that
  /// the refusal can be answered.
  case refused(beginning: ByteBuffer, bytes: Int, ClosingReason)

  /// An oversized message is skipped up to this multiple of the maximum length. A longer one ends the connection.
  static let skippedMultiple = 16

  /// The number of bytes to parse.
  var bytes: Int {
    switch self {
    case .message(let text): text.utf8.count
    case .refused(_, let bytes, _): bytes
    }
  }

  /// Whether the message is parsed on the event loop. A long one is parsed on another thread, so that other connections
  /// do not wait for it.
  var isShort: Bool {
    switch self {
    case .message(let text): text.utf8.count <= 4_096
    case .refused(let beginning, _, _): beginning.readableBytes <= 4_096
    }
  }
}
