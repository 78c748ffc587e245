internal import TesseraCore
import TesseraThreads

/// Allows one open request in this process, and a pause for a web origin after each of its requests that reached the
/// person and did not succeed, so that a page can neither flood the person with prompts nor occupy the reader. The cause
/// of the end does not matter: a page could cause a cancellation, and know how to cause other ends. Each consecutive one
/// doubles the pause, from five seconds to ten minutes; a success ends it.
struct PromptPauses: Sendable {
  /// Whether a request got as far as its prompt.
  final class Prompt: Sendable {
    private let state = Locked(false)
    var wasShown: Bool { state.withLock { $0 } }
    func willShow() { state.withLock { $0 = true } }
  }

  private struct Origin {
    var refusals = 0
    var next: ContinuousClock.Instant
  }
  private struct State {
    var isOpen = false
    var origins: [String: Origin] = [:]
  }
  private let state = Locked(State())

  /// - Parameter body: calls `willShow` of its parameter before it shows a prompt.
  /// - Throws: `PresenceError.paused`, `.anotherRequest`; the errors of `body`.
  func limiting<Result>(_ caller: Caller, _ body: (Prompt) async throws -> Result) async throws -> Result {
    let origin: String? = if case .web(let origin) = caller { origin } else { nil }
    try begin(origin)
    let prompt = Prompt()
    do {
      let result = try await body(prompt)
      end(origin) { $0 = nil }
      return result
    } catch {
      end(origin) { state in
        guard prompt.wasShown else { return }
        let refusals = state?.refusals ?? 0
        state = Origin(refusals: refusals + 1, next: .now + .seconds(min(600, 5 << min(refusals, 10))))
      }
      throw error
    }
  }

  private func begin(_ origin: String?) throws {
    try state.withLock { state in
      if let next = origin.flatMap({ state.origins[$0]?.next }), ContinuousClock.now < next {
        let rest = (next - .now).components
        throw PresenceError.paused(seconds: Int(rest.seconds) + (rest.attoseconds > 0 ? 1 : 0))
      }
      // A finger or a password could answer another request than the one that the person looks at.
      guard !state.isOpen else { throw PresenceError.anotherRequest }
      state.isOpen = true
    }
  }

  private func end(_ origin: String?, _ change: (inout Origin?) -> Void) {
    state.withLock { state in
      state.isOpen = false
      if let origin { change(&state.origins[origin]) }
    }
  }
}
