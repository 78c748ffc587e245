internal import TesseraCore
internal import TesseraFingerprint
import TesseraThreads

/// Allows one open request for each web origin, and a pause after each that the person refused, so that a page can
/// neither flood the person with prompts nor occupy the reader. Each consecutive refusal doubles the pause, from five
/// seconds to ten minutes; a success ends it.
struct PromptPauses: Sendable {
  private struct State {
    var isOpen = false
    var refusals = 0
    var next: ContinuousClock.Instant?
  }
  private let states = Locked<[String: State]>([:])

  /// - Throws: `PresenceError.paused`, `.anotherRequest`; the errors of `body`.
  func limiting<Result>(_ caller: Caller, _ body: () async throws -> Result) async throws -> Result {
    guard case .web(let origin) = caller else { return try await body() }
    try begin(origin)
    do {
      let result = try await body()
      states.withLock { $0[origin] = nil }
      return result
    } catch {
      end(origin, isRefusal: Self.isRefusal(error))
      throw error
    }
  }

  /// A cancelled request counts as refused: otherwise a page could show prompts without limit by cancelling them.
  private static func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case FingerprintError.noMatch, FingerprintError.timedOut, PolkitError.refused, PolkitError.timedOut,
      is CancellationError:
      true
    default: false
    }
  }

  private func begin(_ origin: String) throws {
    try states.withLock { states in
      var state = states[origin, default: State()]
      if let next = state.next, ContinuousClock.now < next {
        let rest = (next - .now).components
        throw PresenceError.paused(seconds: Int(rest.seconds) + (rest.attoseconds > 0 ? 1 : 0))
      }
      guard !state.isOpen else { throw PresenceError.anotherRequest }
      state.isOpen = true
      states[origin] = state
    }
  }

  private func end(_ origin: String, isRefusal: Bool) {
    states.withLock { states in
      var state = states[origin, default: State()]
      state.isOpen = false
      if isRefusal {
        state.next = .now + .seconds(min(600, 5 << min(state.refusals, 10)))
        state.refusals += 1
      }
      states[origin] = state.refusals == 0 ? nil : state
    }
  }
}
