internal import TesseraCore
import TesseraThreads

/// Allows one open request of each caller, one request of all at the reader, and a pause for a web origin after each of
/// its requests that reached the user and did not succeed, so that a page can neither flood the user with prompts nor
/// occupy the reader. The cause of the end does not matter: a page could cause a cancellation, and know how to cause other
/// ends. Each consecutive one doubles the pause, from five seconds to ten minutes; a success ends it.
struct PromptPauses: Sendable {
  /// How far a request got.
  final class Turn: Sendable {
    private struct Progress {
      var hasReader = false
      var wasShown = false
    }
    private let progress = Locked(Progress())
    private let state: Locked<State>

    fileprivate init(_ state: Locked<State>) { self.state = state }

    /// Takes the turn at the reader, or at the dialog for the password: a finger or a password could otherwise answer
    /// another request than the one that the user looks at. Called when nothing but the reader or the user can refuse
    /// any more, so that a request that fails before holds up no other one.
    ///
    /// - Throws: `PresenceError.anotherRequest`.
    func begin() throws {
      try state.withLock { state in
        guard !state.isReaderTaken else { throw PresenceError.anotherRequest }
        state.isReaderTaken = true
      }
      progress.withLock { $0.hasReader = true }
    }

    func willShow() { progress.withLock { $0.wasShown = true } }

    fileprivate var wasShown: Bool { progress.withLock { $0.wasShown } }
    fileprivate var hasReader: Bool { progress.withLock { $0.hasReader } }
  }

  fileprivate struct Origin {
    var refusals = 0
    var next: ContinuousClock.Instant
  }
  fileprivate struct State {
    var isReaderTaken = false
    var open: Set<Caller> = []
    var origins: [String: Origin] = [:]
  }
  private let state = Locked(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameter now: the clock that measures the pauses.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// - Parameter body: calls `begin` of its parameter before it claims the reader, and `willShow` before it shows a prompt.
  /// - Throws: `PresenceError.paused`, `.anotherRequest`; the errors of `body`.
  func limiting<Result>(_ caller: Caller, _ body: (Turn) async throws -> Result) async throws -> Result {
    try begin(caller)
    let turn = Turn(state)
    do {
      let result = try await body(turn)
      end(caller, turn) { $0 = nil }
      return result
    } catch {
      let now = now()
      end(caller, turn) { state in
        guard turn.wasShown else { return }
        let refusals = state?.refusals ?? 0
        state = Origin(refusals: refusals + 1, next: now + .seconds(min(600, 5 << min(refusals, 10))))
      }
      throw error
    }
  }

  private func begin(_ caller: Caller) throws {
    let now = now()
    try state.withLock { state in
      if case .web(let origin) = caller, let next = state.origins[origin]?.next, now < next {
        let rest = (next - now).components
        throw PresenceError.paused(seconds: Int(rest.seconds) + (rest.attoseconds > 0 ? 1 : 0))
      }
      guard state.open.insert(caller).inserted else { throw PresenceError.anotherRequest }
    }
  }

  private func end(_ caller: Caller, _ turn: Turn, _ change: (inout Origin?) -> Void) {
    state.withLock { state in
      state.open.remove(caller)
      if turn.hasReader { state.isReaderTaken = false }
      if case .web(let origin) = caller { change(&state.origins[origin]) }
    }
  }
}
