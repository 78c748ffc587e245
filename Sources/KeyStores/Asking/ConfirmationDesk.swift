import Failures
import Threads

/// Asks a person a question that is answered by yes or no.
public protocol ConfirmationAsking: Sendable {
  /// - Returns: nil where nobody can be asked.
  /// - Throws: `CancellationError`.
  func confirm(_ text: String) async throws -> Bool?
}

/// Decides by a key's policy whether a person must agree to a signature, and remembers who did.
public final class ConfirmationDesk: Sendable {
  private let asking: any ConfirmationAsking
  private let agreed = Locked<Set<Agreement>>([])
  private let origins = Locked<[String: Origin]>([:])
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sessions = SharedWork<Agreement, Void>()
  private let questions = Turns<String>()

  /// The key as it was then: one that replaces it is another one.
  private struct Agreement: Hashable {
    let name: KeyName
    let point: [UInt8]
  }

  /// What has become of an origin's questions.
  private struct Origin {
    var isBeingAsked = false
    /// Questions in a row that were not agreed to.
    var refusals = 0
    var nextQuestion: ContinuousClock.Instant?

    /// A person who said no has some peace, each time twice as long: from five seconds to ten minutes.
    mutating func refuse(_ now: ContinuousClock.Instant) {
      nextQuestion = now + .seconds(min(600, 5 << min(refusals, 10)))
      refusals += 1
    }

    /// - Throws: `KeyStoreError.confirmationPaused` too soon after a refusal.
    func checkPause(_ now: ContinuousClock.Instant) throws {
      guard let nextQuestion, now < nextQuestion else { return }
      let rest = now.duration(to: nextQuestion).components
      throw KeyStoreError.confirmationPaused(seconds: Int(rest.seconds) + (rest.attoseconds > 0 ? 1 : 0))
    }
  }

  public init(asking: any ConfirmationAsking) {
    self.asking = asking
    now = { ContinuousClock.now }
  }

  /// - Parameter now: tells the time by which an origin waits after a refusal.
  init(asking: any ConfirmationAsking, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.asking = asking
    self.now = now
  }

  /// - Parameter key: belongs to the web origin that wants the signature. Keys of local programs need no agreement.
  /// - Throws: `KeyStoreError.confirmationRefused` where the person says no, cannot be asked, or is being asked about
  ///   another signature of the same origin; `KeyStoreError.confirmationPaused` too soon after a refusal.
  public func agree(to key: StoredKey) async throws {
    guard case .web(let origin) = key.name.owner else { return }
    switch key.confirmation {
    case .never: return
    case .always: try await ask(origin, key.name)
    case .session:
      let agreement = Agreement(name: key.name, point: key.publicKey.point)
      if agreed.withLock({ $0.contains(agreement) }) { return }
      try await sessions.value(agreement) {
        try await self.ask(origin, key.name)
        _ = self.agreed.withLock { $0.insert(agreement) }
      }
    }
  }

  private func ask(_ origin: String, _ name: KeyName) async throws {
    try begin(origin)
    // The origin comes first, on a line of its own: the name is the page's choice of words.
    let text = """
      \(PrintableText.of(origin)) wants to sign.
      Its name for the key: \(PrintableText.of(String(name.name.prefix(60))))
      Allow this signature?
      """
    let answer: Bool?
    do {
      answer = try await asking.confirm(text)
    } catch {
      // A page that takes its question back before there is an answer has asked all the same.
      end(origin, isAgreed: false)
      throw error
    }
    guard let answer else {
      // Nobody was disturbed.
      origins.withLock { $0[origin]?.isBeingAsked = false }
      throw KeyStoreError.confirmationRefused("This key signs only when a person confirms, and there is nobody to ask.")
    }
    end(origin, isAgreed: answer)
    guard answer else { throw KeyStoreError.confirmationRefused("The signature was not confirmed.") }
  }

  /// A page cannot bury a person under questions.
  private func begin(_ origin: String) throws {
    let now = now()
    try origins.withLock { origins in
      var state = origins[origin, default: Origin()]
      try state.checkPause(now)
      guard !state.isBeingAsked else {
        throw KeyStoreError.confirmationRefused("Another signature of this origin waits for its confirmation.")
      }
      state.isBeingAsked = true
      origins[origin] = state
    }
  }

  private func end(_ origin: String, isAgreed: Bool) {
    let now = now()
    origins.withLock { origins in
      // A yes ends the waiting.
      guard !isAgreed else {
        origins[origin] = nil
        return
      }
      origins[origin]?.isBeingAsked = false
      origins[origin]?.refuse(now)
    }
  }

  /// Runs what may ask a person for a passphrase or PIN on behalf of an origin: one question at a time, and a page whose
  /// question was refused waits before the next one.
  ///
  /// - Throws: `KeyStoreError.confirmationPaused` too soon after a refusal; `CancellationError` where the task was cancelled
  ///   before its turn came; what `body` throws.
  public func asking<Result>(for origin: String, _ body: () async throws -> Result) async throws -> Result {
    await questions.take(origin)
    defer { questions.pass(origin) }
    try Task.checkCancellation()
    let start = now()
    try origins.withLock { try $0[origin]?.checkPause(start) }
    do {
      return try await body()
    } catch {
      switch error {
      // A page that takes its question back before there is an answer has asked all the same.
      case KeyStoreError.secretRefused, is CancellationError:
        let end = now()
        origins.withLock { $0[origin, default: Origin()].refuse(end) }
      default: break
      }
      throw error
    }
  }
}
