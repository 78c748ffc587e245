public import TesseraCore
import TesseraThreads

/// Asks the user to confirm an operation.
public protocol ConfirmationPrompting: Sendable {
  /// - Returns: whether the user confirmed; nil if no prompt is possible.
  /// - Throws: `CancellationError`.
  func confirm(_ text: String) async throws -> Bool?

  /// The same for a prompt that composes its text itself, or needs none. By default shows `text`.
  ///
  /// - Parameters:
  ///   - text: the whole text, with the caller.
  ///   - reason: what the caller wants to do, without the caller.
  ///   - caller: who wants to do it.
  func confirm(_ text: String, reason: String, for caller: Caller) async throws -> Bool?
}

extension ConfirmationPrompting {
  public func confirm(_ text: String, reason: String, for caller: Caller) async throws -> Bool? {
    try await confirm(text)
  }
}

/// Enforces the confirmation policies of keys: asks the user before a signature for web content, and remembers
/// confirmations that apply to the whole session.
public final class SignatureConfirmation: Sendable {
  private let prompter: any ConfirmationPrompting
  private let sessionConfirmations = Locked<Set<ConfirmedKey>>([])
  private let origins = Locked<[String: OriginState]>([:])
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sessionPrompts = RequestCoalescer<ConfirmedKey, Void>()
  private let secretPrompts = KeyedMutex<String>()

  /// A key at the time of its confirmation. A key that replaces it under the same name is not confirmed.
  private struct ConfirmedKey: Hashable {
    let name: KeyName
    let point: [UInt8]
  }

  /// The prompts of one origin.
  private struct OriginState {
    var isPrompting = false
    /// The number of consecutive prompts that the user did not confirm.
    var refusals = 0
    var nextPrompt: ContinuousClock.Instant?

    /// Each consecutive refusal doubles the pause, from five seconds to ten minutes.
    mutating func refuse(_ now: ContinuousClock.Instant) {
      nextPrompt = now + .seconds(min(600, 5 << min(refusals, 10)))
      refusals += 1
    }

    /// - Throws: `KeyStoreError.confirmationPaused` during the pause after a refusal.
    func checkPause(_ now: ContinuousClock.Instant) throws {
      guard let nextPrompt, now < nextPrompt else { return }
      let rest = now.duration(to: nextPrompt).components
      throw KeyStoreError.confirmationPaused(seconds: Int(rest.seconds) + (rest.attoseconds > 0 ? 1 : 0))
    }
  }

  public init(prompting prompter: any ConfirmationPrompting) {
    self.prompter = prompter
    now = { ContinuousClock.now }
  }

  /// - Parameter now: the clock that measures the pause after a refusal.
  package init(prompting prompter: any ConfirmationPrompting, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.prompter = prompter
    self.now = now
  }

  /// Returns when a signature with this key is confirmed, or needs no confirmation.
  ///
  /// - Parameter key: the key to sign with. Keys of local programs need no confirmation.
  /// - Throws: `KeyStoreError.confirmationRefused` if the user refuses, no prompt is possible, or another prompt of the
  ///   same origin is open; `KeyStoreError.confirmationPaused` during the pause after a refusal.
  public func confirm(signingWith key: StoredKey) async throws {
    guard case .web(let origin) = key.name.owner else { return }
    switch key.confirmation {
    case .never: return
    case .always: try await prompt(origin, key.name)
    case .session:
      let confirmed = ConfirmedKey(name: key.name, point: try key.publicKey.point)
      if sessionConfirmations.withLock({ $0.contains(confirmed) }) { return }
      try await sessionPrompts.value(confirmed) {
        // Another prompt may have been confirmed after the check above.
        if self.sessionConfirmations.withLock({ $0.contains(confirmed) }) { return }
        try await self.prompt(origin, key.name)
        _ = self.sessionConfirmations.withLock { $0.insert(confirmed) }
      }
    }
  }

  private func prompt(_ origin: String, _ name: KeyName) async throws {
    try begin(origin)
    // The origin comes first, on its own line: the page chooses the name of the key and could imitate an origin with
    // it.
    let text = """
      \(PrintableText.of(origin)) wants to sign.
      Its name for the key: \(PrintableText.of(String(name.name.prefix(60))))
      Allow this signature?
      """
    let reason = "Sign with its key \"\(PrintableText.of(String(name.name.prefix(60))))\""
    let isConfirmed: Bool?
    do {
      isConfirmed = try await prompter.confirm(text, reason: reason, for: name.owner)
    } catch {
      if Self.isRefusal(error) {
        end(origin, isConfirmed: false)
      } else {
        origins.withLock { $0[origin]?.isPrompting = false }
      }
      throw error
    }
    guard let isConfirmed else {
      // The user saw no prompt, so there is no pause.
      origins.withLock { $0[origin]?.isPrompting = false }
      throw KeyStoreError.confirmationRefused(
        "The key requires a confirmation for each signature, and no prompt is possible.")
    }
    end(origin, isConfirmed: isConfirmed)
    guard isConfirmed else { throw KeyStoreError.confirmationRefused("The user did not confirm the signature.") }
  }

  /// Whether the user has refused. A failure of the machine says nothing about the user and starts no pause.
  private static func isRefusal(_ error: any Error) -> Bool {
    // A cancelled prompt counts as refused: otherwise a page could show prompts without limit by cancelling them.
    if error is CancellationError { return true }
    let failure = Failure(error)
    guard failure.kind == .confirmationRefused else { return false }
    // In these cases nothing was asked.
    let reasons = ["no_prompt", "do_not_disturb", "paused", "another_request", "screen_locked"]
    return !reasons.contains(failure.details["reason"] ?? "")
  }

  /// Allows one open prompt for each origin, so that a page cannot flood the user with prompts.
  private func begin(_ origin: String) throws {
    let now = now()
    try origins.withLock { origins in
      var state = origins[origin, default: OriginState()]
      try state.checkPause(now)
      guard !state.isPrompting else {
        throw KeyStoreError.confirmationRefused("Another signature of this origin is waiting for its confirmation.")
      }
      state.isPrompting = true
      origins[origin] = state
    }
  }

  private func end(_ origin: String, isConfirmed: Bool) {
    let now = now()
    origins.withLock { origins in
      // A confirmation resets the pause.
      guard !isConfirmed else {
        origins[origin] = nil
        return
      }
      origins[origin]?.isPrompting = false
      origins[origin]?.refuse(now)
    }
  }

  /// Runs an operation for an origin that may prompt for a passphrase or a PIN. Operations of one origin run one at a
  /// time, and each refused prompt starts a pause.
  ///
  /// - Throws: `KeyStoreError.confirmationPaused` during the pause after a refusal; `CancellationError` if the task was
  ///   cancelled before the operation started; the errors of `body`.
  package func limitingPrompts<Result>(for origin: String, _ body: () async throws -> Result) async throws -> Result {
    await secretPrompts.lock(origin)
    defer { secretPrompts.unlock(origin) }
    try Task.checkCancellation()
    let start = now()
    try origins.withLock { try $0[origin]?.checkPause(start) }
    do {
      return try await body()
    } catch {
      switch error {
      // A cancelled prompt counts as refused, as in `prompt`.
      case KeyStoreError.secretRefused, is CancellationError:
        let end = now()
        origins.withLock { $0[origin, default: OriginState()].refuse(end) }
      default: break
      }
      throw error
    }
  }
}
