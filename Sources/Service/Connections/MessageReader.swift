import Bridge
import Logging
import NIOCore

/// Reads one connection's messages and begins what they ask for. All that costs time by the length of a message is done
/// here, on any thread: also letting go of what was read.
struct MessageReader: Sendable {
  enum Outcome: Sendable {
    case begun(BridgeDomain, Task<Void, Never>)
    case refused(BridgeMessage)
    case dropped
    case closed(ClosingReason)
  }

  let core: ServiceCore
  let caller: BridgeCaller
  let connection: BridgeConnection

  /// - Parameters:
  ///   - excess: the answer to any request, since there are too many.
  ///   - earlier: the requests that a request waits for, by their domains.
  ///   - send: receives the events of the request and its answer.
  ///   - end: is called after that.
  func take(
    _ message: Incoming, excess: BridgeError?, after earlier: [BridgeDomain: Task<Void, Never>],
    send: @escaping @Sendable (String) -> Void, end: @escaping @Sendable () -> Void
  ) -> Outcome {
    switch message {
    case .message(let text):
      if let excess { return refused(text.utf8, excess) ?? .dropped }
      return take(text, after: earlier, send: send, end: end)
    case .refused(let beginning, _, let reason):
      let error = excess ?? BridgeError(reason.rawValue, reason.message)
      return refused(beginning.readableBytesView, error) ?? (reason == .malformedText ? .dropped : .closed(reason))
    }
  }

  private func take(
    _ text: String, after earlier: [BridgeDomain: Task<Void, Never>], send: @escaping @Sendable (String) -> Void,
    end: @escaping @Sendable () -> Void
  ) -> Outcome {
    let message: JSONValue
    do {
      message = try JSONValue(text: text)
    } catch {
      if let error = BridgeError(error), let outcome = refused(text.utf8, error) { return outcome }
      return error.reason == .nesting ? .closed(.nestingTooDeep) : .dropped
    }
    // What is no request gets no answer (dossier, 2.4).
    guard let request = BridgeRequest(message: message, caller: caller, connection: connection) else { return .dropped }
    guard core.grants.allows(caller, request.domain, request.method) else {
      return refused(
        request.id, request.domain, BridgeError("NOT_ALLOWED", "This caller was not granted this method."),
        wanting: request.method)
    }
    let isExplained = caller == .local && ExplainedAnswer.isWanted(by: message)
    return .begun(
      request.domain,
      begin(request, isExplained: isExplained, after: earlier[request.domain], send: send, end: end))
  }

  /// nil where nobody is found who could be answered.
  private func refused(_ beginning: some Collection<UInt8>, _ error: BridgeError) -> Outcome? {
    BridgeRequestHead(beginning).map { refused($0.id, $0.domain, error) }
  }

  /// - Parameter method: where a grant of it is missing.
  private func refused(
    _ id: String, _ domain: BridgeDomain, _ refusal: BridgeError, wanting method: String? = nil
  ) -> Outcome {
    core.measures.refused(domain, refusal.code)
    core.tellRefusal(of: caller, domain, refusal.code, wanting: method)
    return .refused(.response(to: id, domain: domain, .failure(refusal)))
  }

  private func begin(
    _ request: BridgeRequest, isExplained: Bool, after earlier: Task<Void, Never>?,
    send: @escaping @Sendable (String) -> Void, end: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    let begin = NIODeadline.now()
    // At once, until it waits for something: a scan is known when the message after it, which may stop it, is looked at.
    return Task.immediate { [core, caller] in
      await earlier?.value
      let answer: @Sendable (BridgeMessage) -> Void = { message in
        let text = isExplained ? ExplainedAnswer.text(message) : message.text
        core.rate.charge(caller, for: message, bytes: text.utf8.count)
        if case .response(_, _, let outcome) = message {
          core.measures.answered(request.domain, outcome, in: NIODeadline.now() - begin)
          if case .failure(let error) = outcome { core.tellFailure(of: request, error) }
        }
        send(text)
      }
      // What the ones before it cost is known only now.
      if earlier != nil, core.rate.isOverdrawn(caller) {
        answer(.response(to: request.id, domain: request.domain, .failure(RequestRate.tooFast)))
      } else {
        await core.router.route(request, send: answer)
      }
      end()
    }
  }
}
