internal import CTesseraNATS
internal import TesseraThreads

/// The states and problems of a connection, over all connections of libnats that it consists of.
final class ConnectionEvents: Sendable {
  private struct State {
    var current = NATSConnectionState.connected
    var handlers: [@Sendable (NATSConnectionState) -> Void] = []
    var problemHandlers: [@Sendable (NATSConnectionProblem) -> Void] = []
    /// The first ones, for handlers that come later.
    var problems: [NATSConnectionProblem] = []
    /// Why the connection ends.
    var reason: NATSError?
  }
  private let state = Locked(State())

  var current: NATSConnectionState { state.withLock { $0.current } }

  /// Why the connection is closed, or about to be; nil if it is not.
  var ending: NATSError? { state.withLock { $0.reason ?? ($0.current == .closed ? .closed : nil) } }

  /// Notes why the connection is closed. The caller closes it.
  func end(with reason: NATSError) { state.withLock { $0.reason = $0.reason ?? reason } }

  func add(_ handler: @escaping @Sendable (NATSConnectionState) -> Void) {
    state.withLock { $0.handlers.append(handler) }
  }

  /// Calls `handler` for each problem, also for the first 64 that were there before it: a server refuses the subscription of
  /// the answers while the connection is still being made.
  func addProblemHandler(_ handler: @escaping @Sendable (NATSConnectionProblem) -> Void) {
    let problems = state.withLock { state in
      state.problemHandlers.append(handler)
      return state.problems
    }
    for problem in problems { handler(problem) }
  }

  func change(to new: NATSConnectionState) {
    let handlers = state.withLock { state -> [@Sendable (NATSConnectionState) -> Void] in
      guard state.current != .closed, state.current != new else { return [] }
      state.current = new
      // The handlers may refer to the connection.
      defer { if new == .closed { (state.handlers, state.problemHandlers) = ([], []) } }
      return state.handlers
    }
    for handler in handlers { handler(new) }
  }

  func report(_ problem: NATSConnectionProblem) {
    let handlers = state.withLock { state in
      if state.problems.count < 64 { state.problems.append(problem) }
      return state.problemHandlers
    }
    for handler in handlers { handler(problem) }
  }
}

/// What a connection reports although no call failed.
package enum NATSConnectionProblem: Sendable, Equatable {
  /// A subscription's messages come faster than its handler takes them, so the newest are dropped. It is reported again
  /// after the handler has taken all that waited.
  case slowConsumer(subject: String)
  /// The server refused a publication or a subscription, since this client's user may not use the subject. A request
  /// on it, or whose answer would arrive there, ends with `NATSError.notPermitted`.
  case notPermitted(PermissionViolation)
}

package enum NATSConnectionState: Sendable, Equatable {
  case connected
  /// The connection was lost, and is being made again without limit.
  case reconnecting
  case closed
}

/// What a server refuses to this client's user.
package struct PermissionViolation: Sendable, Equatable {
  /// Whether a subscription is refused; otherwise a publication.
  package let isSubscription: Bool
  /// The subject, as this client has sent it, without control characters. nil if the server does not name it.
  package let subject: String?

  /// What libnats tells the callback that runs on this thread.
  init(lastErrorOfThread: Void) {
    self.init(nats_GetLastError(nil).map { String(cString: $0) } ?? "")
  }

  /// - Parameter text: what follows `-ERR`, for example `Permissions Violation for Publish to "a.b"`. Servers write it in
  ///   capital or small letters.
  init(_ text: String) {
    let words = text.lowercased()
    isSubscription = words.contains("for subscription to")
    let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
    subject = quoted.count > 1 && NATSSubject.isPattern(String(quoted[1])) ? String(quoted[1]) : nil
  }
}
