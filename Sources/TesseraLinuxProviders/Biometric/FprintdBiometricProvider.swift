public import TesseraBridge
public import TesseraCore
package import TesseraFingerprint
import TesseraThreads

/// The biometric provider that uses fprintd, and where the host permits it, the password of the account.
///
/// A notification of the desktop shows who asks and why, from before the reader waits for a finger until the end. Web
/// content is refused where no notification can be shown: a person who touches the reader for another purpose must not
/// answer a page unknowingly. Programs of the local user can show the reason themselves.
///
/// After a refused or cancelled request, the next one of the same web origin has to wait, so that a page can neither
/// occupy the reader nor the screen.
public struct FprintdBiometricProvider: BiometricProvider {
  private let reader: FingerprintReader
  private let password: PolkitPassword
  private let fallback: PasswordFallback
  private let pauses = PromptPauses()
  private let makePrompt: @Sendable () -> any PresencePrompt

  /// - Parameter fallback: whose requests the password of the account may answer instead of a finger.
  public init(fallback: PasswordFallback = .nobody) {
    self.init(reader: FingerprintReader(), password: PolkitPassword(), fallback: fallback) { DesktopNotification() }
  }

  /// - Parameter makePrompt: makes the prompt of one request.
  package init(
    reader: FingerprintReader, password: PolkitPassword, fallback: PasswordFallback,
    makePrompt: @escaping @Sendable () -> any PresencePrompt
  ) {
    self.reader = reader
    self.password = password
    self.fallback = fallback
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
    try await pauses.limiting(caller) {
      let method = try await method(for: caller)
      return try await authenticate(method, reason, caller, onProgress)
    }
  }

  /// - Throws: `FingerprintError` if there is no finger, and no password instead of it.
  private func method(for caller: Caller) async throws -> AuthenticationMethod {
    do {
      _ = try await reader.enrolledFingers()
      return .biometric
    } catch {
      guard permitsPassword(instead: error, for: caller) else { throw error }
      return .deviceCredential
    }
  }

  private func authenticate(
    _ method: AuthenticationMethod, _ reason: String, _ caller: Caller,
    _ onProgress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> AuthenticationMethod {
    let prompt = makePrompt()
    let text = PresenceText(caller, reason)
    let updates = PromptUpdates(prompt, text)
    guard await prompt.show(text, method == .biometric ? .waiting : .password) || caller == .local else {
      throw PresenceError.noPrompt
    }
    let outcome: Result<Void, any Error>
    do {
      switch method {
      case .biometric:
        try await reader.verify { event in
          let progress = BiometricProgress(event)
          onProgress(progress)
          updates.show(progress)
        }
      case .deviceCredential:
        onProgress(.password)
        try await password.ask()
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await updates.end()
    await prompt.withdraw()
    try outcome.get()
    return method
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
      case .waiting: .waiting
      case .retry(.scan): .retryScan
      case .retry(.swipeTooShort): .swipeTooShort
      case .retry(.notCentered): .fingerNotCentered
      case .retry(.removeAndRetry): .removeAndRetry
      case .noMatch: .noMatch
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
      var last = BiometricProgress.waiting
      for await progress in stream {
        // The person must be able to read why the finger is needed again.
        guard progress != last, progress != .waiting else { continue }
        last = progress
        _ = await prompt.show(text, progress)
      }
    }
  }

  func show(_ progress: BiometricProgress) { updates.yield(progress) }

  func end() async {
    updates.finish()
    await showing.value
  }
}
