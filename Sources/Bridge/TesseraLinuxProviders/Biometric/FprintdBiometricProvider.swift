public import TesseraBridge
public import TesseraCore
package import TesseraFingerprint
import TesseraThreads

/// The biometric provider that uses fprintd, and where the host permits it, the password of the account.
///
/// A notification of the desktop shows who asks and why, from before the reader waits for a finger until the end. The
/// reader is claimed first: while a prompt is visible, a finger answers this request and no other. Web content is refused
/// where no notification can be shown, and while the screen is locked: the user who touches the reader for another
/// purpose must not answer a page unknowingly. Programs of the local user can show the reason themselves.
///
/// One request of a caller is open at a time, and one of all is at the reader. After a request that was shown and not
/// confirmed, the next one of the same web origin has to wait, so that a page can neither occupy the reader nor the screen.
public struct FprintdBiometricProvider: BiometricProvider {
  private let reader: FingerprintReader
  private let password: PolkitPassword
  private let screen: ScreenLock
  private let fallback: PasswordFallback
  private let pauses: PromptPauses
  private let makePrompt: @Sendable () -> any PresencePrompt

  /// - Parameter fallback: whose requests the password of the account may answer instead of a finger.
  public init(fallback: PasswordFallback = .nobody) {
    self.init(reader: FingerprintReader(), password: PolkitPassword(), screen: ScreenLock(), fallback: fallback) {
      DesktopNotification()
    }
  }

  /// - Parameters:
  ///   - now: the clock that measures the pauses after a request that was not confirmed.
  ///   - makePrompt: makes the prompt of one request.
  package init(
    reader: FingerprintReader, password: PolkitPassword, screen: ScreenLock, fallback: PasswordFallback,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    makePrompt: @escaping @Sendable () -> any PresencePrompt
  ) {
    self.reader = reader
    self.password = password
    self.screen = screen
    self.fallback = fallback
    pauses = PromptPauses(now: now)
    self.makePrompt = makePrompt
  }

  public func isAvailable() async -> Bool { await isAvailable(for: .local) }

  public func isAvailable(for caller: Caller) async -> Bool {
    if caller != .local, await !makePrompt().isPossible() { return false }
    do {
      _ = try await reader.enrolledFingers()
      return true
    } catch {
      guard permitsPassword(instead: error, for: caller) else { return false }
      guard await makePrompt().isPossible() else { return false }
      return await password.isPossible()
    }
  }

  /// `touchId` for a reader, also without an enrolled finger; otherwise `none`.
  public func getBiometryType() async -> String {
    do {
      _ = try await reader.enrolledFingers()
      return "touchId"
    } catch {
      return error as? FingerprintError == .noEnrolledFinger ? "touchId" : "none"
    }
  }

  public func authenticate(reason: String, for caller: Caller) async throws {
    _ = try await authenticate(reason: reason, for: caller) { _ in }
  }

  public func authenticate(
    reason: String, for caller: Caller, onProgress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> AuthenticationMethod {
    try await pauses.limiting(caller) { turn in
      guard caller != .local else { return try await authenticate(reason, caller, turn, onProgress) }
      return try await screen.whileUnlocked { try await authenticate(reason, caller, turn, onProgress) }
    }
  }

  private func authenticate(
    _ reason: String, _ caller: Caller, _ turn: PromptPauses.Turn,
    _ onProgress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> AuthenticationMethod {
    // One end for all steps, before the clients stop waiting.
    let deadline = reader.clock.now + reader.limits.verification
    let prompt = makePrompt()
    let text = PresenceText(caller, reason)
    // What can fail without the user comes before the prompt.
    if caller != .local { try await prompt.requireVisible() }
    let isFinger = try await reader.session(until: deadline) { session in
      do {
        _ = try await session.find()
      } catch {
        guard permitsPassword(instead: error, for: caller) else { throw error }
        return false
      }
      try turn.begin()
      try await session.claim()
      turn.willShow()
      try await showing(prompt, text, BiometricProgress(.waiting), isRequired: caller != .local) { updates in
        try await session.verify { event in
          let progress = BiometricProgress(event)
          onProgress(progress)
          updates.show(progress)
        }
      }
      return true
    }
    if isFinger { return .biometric }
    try turn.begin()
    try await password.requireQuestion()
    turn.willShow()
    // The dialog of the password names no caller, so that even a local program needs the notification.
    try await showing(prompt, text, BiometricProgress(.password), isRequired: true) { _ in
      onProgress(BiometricProgress(.password))
      try await password.ask(until: deadline)
    }
    return .deviceCredential
  }

  /// Shows the prompt while `body` runs.
  ///
  /// - Throws: `PresenceError.noPrompt` or `.hidden` if the prompt is required and the user cannot see it, also if that
  ///   changed while `body` ran.
  private func showing(
    _ prompt: any PresencePrompt, _ text: PresenceText, _ progress: BiometricProgress, isRequired: Bool,
    _ body: (PromptUpdates) async throws -> Void
  ) async throws {
    guard await prompt.show(text, progress) || !isRequired else {
      await prompt.withdraw()
      throw PresenceError.noPrompt
    }
    let updates = PromptUpdates(prompt, text)
    let outcome: Result<Void, any Error>
    do {
      if isRequired { try await prompt.requireVisible() }
      try await body(updates)
      // The desktop hides what it has shown when the user turns on do not disturb.
      if isRequired { try await prompt.requireVisible() }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await updates.end()
    await prompt.withdraw()
    try outcome.get()
  }

  /// Whether the password may answer instead of a finger. A reader that another program occupies, or that fails, is no
  /// reason: a page could cause that.
  private func permitsPassword(instead error: any Error, for caller: Caller) -> Bool {
    switch error as? FingerprintError {
    case .noReader, .serviceUnavailable, .noEnrolledFinger:
      fallback == .everyone || fallback == .localPrograms && caller == .local
    default: false
    }
  }
}

extension BiometricProgress {
  init(_ event: FingerprintEvent) {
    self =
      switch event {
      case .waiting(let finger): Self(.waiting, finger: finger?.words)
      case .retry(let retry, let finger): Self(State(retry), finger: finger?.words)
      case .noMatch(_, let next): Self(.noMatch, finger: next?.words)
      }
  }
}

extension BiometricProgress.State {
  fileprivate init(_ retry: FingerprintEvent.Retry) {
    self =
      switch retry {
      case .scan: .retryScan
      case .swipeTooShort: .swipeTooShort
      case .notCentered: .fingerNotCentered
      case .removeAndRetry: .removeAndRetry
      }
  }
}

/// Shows the progress of one request in its prompt, in order and without delaying the reader.
private final class PromptUpdates: Sendable {
  private let updates: AsyncStream<BiometricProgress>.Continuation
  private let showing: Task<Void, Never>

  init(_ prompt: any PresencePrompt, _ text: PresenceText) {
    let (stream, updates) = AsyncStream.makeStream(of: BiometricProgress.self, bufferingPolicy: .bufferingNewest(4))
    self.updates = updates
    showing = Task {
      var last = BiometricProgress(.waiting)
      for await progress in stream {
        guard !Task.isCancelled, progress != last else { continue }
        // The user must be able to read why a finger is needed again, and which one: the last text says both.
        guard progress.state != .waiting || progress.finger != last.finger else { continue }
        last = progress
        _ = await prompt.show(text, progress)
      }
    }
  }

  func show(_ progress: BiometricProgress) { updates.yield(progress) }

  /// Drops what has not been shown yet: the answer of the request does not wait for it.
  func end() async {
    updates.finish()
    showing.cancel()
    await showing.value
  }
}

/// Whose requests the password of the account may answer, where there is no finger: no reader, or none enrolled.
public enum PasswordFallback: Sendable, CaseIterable {
  case nobody
  /// The programs of the local user.
  case localPrograms
  /// Web content, too.
  case everyone
}
