internal import Dispatch
internal import TesseraThreads

/// The requests of a connection that wait for their answers, by the last token of the subject of the answer.
///
/// One timer serves all of them. A task that sleeps would stay in memory until its time has come, although the answer
/// was there after a millisecond.
final class PendingRequests: Sendable {
  /// Called for each answer, and for the end of the connection or of the time.
  typealias Receiver = @Sendable (Result<NATSMessage, NATSError>) -> Void

  private struct State {
    var next: UInt64 = 0
    var waiting: [String: (subject: String, end: ContinuousClock.Instant, receive: Receiver)] = [:]
    /// Why no answer can arrive any more; nil if answers can.
    var refusal: NATSError?
    let timer = DispatchSource.makeTimerSource(queue: .global())
    /// When the timer fires; nil if nothing waits.
    var alarm: ContinuousClock.Instant?

    /// Lets the timer fire at this moment, if it would fire later.
    mutating func wake(at end: ContinuousClock.Instant) {
      if let alarm, alarm <= end { return }
      alarm = end
      let nanoseconds = Int(clamping: (end - .now).wholeNanoseconds)
      timer.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: .milliseconds(1))
    }
  }
  private let state = Locked(State())

  init() {
    state.withLock { state in
      state.timer.setEventHandler { [weak self] in self?.expire() }
      state.timer.activate()
    }
  }

  deinit { state.withLock { $0.timer.cancel() } }

  /// - Returns: The token.
  /// - Throws: `NATSError.notPermitted` if the server has refused the subscription of the answers.
  func add(_ subject: String, within limit: Duration, _ receive: @escaping Receiver) throws(NATSError) -> String {
    let (token, refusal) = state.withLock { state in
      state.next += 1
      let token = String(state.next, radix: 36)
      let end = ContinuousClock.now + max(.zero, min(limit, .seconds(1 << 20)))
      if state.refusal == nil {
        state.waiting[token] = (subject, end, receive)
        state.wake(at: end)
      }
      return (token, state.refusal)
    }
    if let refusal { throw refusal }
    return token
  }

  /// Ends the requests on a subject that the server refuses; all, also later ones, if it refuses that of the answers.
  func refuse(_ violation: PermissionViolation, inbox: String) {
    let error = NATSError.notPermitted(subject: violation.subject)
    let isInbox = violation.isSubscription && violation.subject == "\(inbox).*"
    let refused = state.withLock { state in
      if isInbox { state.refusal = error }
      // A server that names no subject can mean any.
      let refused = state.waiting.filter {
        isInbox || !violation.isSubscription && (violation.subject ?? $0.value.subject) == $0.value.subject
      }
      for token in refused.keys { state.waiting[token] = nil }
      return refused.values.map(\.receive)
    }
    for receive in refused { receive(.failure(error)) }
  }

  /// Another server, or another configuration of it, may accept the subscription of the answers.
  func forgetRefusal() { state.withLock { $0.refusal = nil } }

  /// Why no answer can arrive; nil if answers can.
  var refusal: NATSError? { state.withLock { $0.refusal } }

  /// How many requests wait.
  var count: Int { state.withLock { $0.waiting.count } }

  func remove(_ token: String) { state.withLock { $0.waiting[token] = nil } }

  /// Hands an answer to the request that it belongs to. A late answer is dropped.
  func receive(_ message: NATSMessage) {
    guard let token = message.subject.split(separator: ".").last else { return }
    let receive = state.withLock { $0.waiting[String(token)]?.receive }
    receive?(.success(message))
  }

  /// Ends the requests whose time is over.
  private func expire() {
    let late = state.withLock { state -> [Receiver] in
      let now = ContinuousClock.now
      let late = state.waiting.filter { $0.value.end <= now }
      for token in late.keys { state.waiting[token] = nil }
      state.alarm = nil
      if let next = state.waiting.values.map(\.end).min() { state.wake(at: next) }
      return late.values.map(\.receive)
    }
    for receive in late { receive(.failure(.timeout)) }
  }

  /// Ends all requests.
  func fail(_ error: NATSError) {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.values.map(\.receive)
    }
    for receive in waiting { receive(.failure(error)) }
  }
}
