internal import Logging
internal import TesseraNATS
internal import TesseraThreads

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The clock of this machine, beside that of its server. It decides which certificates and revocation lists are valid.
/// Nothing is judged while the two differ: the verdict may be wrong, and nobody would notice.
///
/// The server is asked at the start, after each connection, and regularly. In between, the monotonic clock tells what the
/// server's clock must be, so that a jump of this machine's clock is noticed at once.
final class InspectorClock: Sendable {
  /// The largest difference, in seconds. Certificates and lists are valid for days and months; a message takes seconds.
  /// Clocks that nobody sets drift by minutes in a year. So five minutes are no fault yet, and change no verdict.
  static let tolerance = 300

  /// What the server said, and when.
  private struct Reference {
    var time: Date
    var instant: ContinuousClock.Instant
  }

  private struct State {
    /// nil until the server has answered.
    var reference: Reference?
    var differs = false
    /// Whether the last question has no answer.
    var isUnanswered = false
  }
  private let state = Locked(State())
  private let connection: NATSConnection
  private let settings: ClockSettings
  private let logger: Logger
  private let wakeUp = WakeUp()

  init(_ connection: NATSConnection, _ settings: ClockSettings, _ logger: Logger) {
    self.connection = connection
    self.settings = settings
    self.logger = logger
    connection.onStateChange { [wakeUp] in if $0 == .connected { wakeUp.signal() } }
  }

  /// By how many seconds this machine is ahead of the server; nil if the server does not tell its time.
  var difference: Int? { state.withLock { secondsAhead($0) } }

  private func secondsAhead(_ state: State) -> Int? {
    state.reference.map { reference in
      let passed = Double((.now - reference.instant) / .seconds(1))
      let seconds = settings.now().timeIntervalSince(reference.time) - passed
      // A server may state any year, and a test any time.
      return seconds.isFinite ? Int(min(max(seconds, -1e12), 1e12)) : 0
    }
  }

  /// - Throws: `FleetError` with the code `clockDiffers`.
  func check() throws(FleetError) {
    let (difference, differs, hasChanged) = state.withLock { state -> (Int, Bool, Bool) in
      let difference = secondsAhead(state) ?? 0
      let differs = abs(difference) > Self.tolerance
      defer { state.differs = differs }
      return (difference, differs, differs != state.differs)
    }
    if hasChanged {
      // Either the machine's clock has jumped, or the machine was paused: the server knows.
      wakeUp.signal()
      report(difference, differs)
    }
    if differs { throw FleetError(.clockDiffers) }
  }

  private func report(_ difference: Int, _ differs: Bool) {
    let facts: Logger.Metadata = ["secondsAhead": "\(difference)"]
    if differs {
      let failure = FleetError(.clockDiffers).failure
      logger.error("\(failure.cause) \(failure.remedy ?? "")", metadata: facts)
    } else {
      logger.notice("The clocks of this machine and of its server agree again.", metadata: facts)
    }
  }

  // MARK: - The server's time

  /// A connection that is lost during the question is made again. A key that may not ask gets no answer each time.
  private static let attempts = 3

  /// Asks the server before anything is judged.
  ///
  /// - Throws: `FleetError` with the code `clockDiffers`; `CancellationError`.
  func begin() async throws {
    for _ in 1..<Self.attempts {
      guard let error = try await ask(), error != .timeout else { return try check() }
      try await Task.sleep(for: settings.repetition)
    }
    _ = try await ask()
    try check()
  }

  /// Asks again and again until the task is cancelled. While the server does not answer, its last answer counts.
  func follow() async {
    var pause = settings.repetition
    while !Task.isCancelled {
      let (differs, isChecked) = state.withLock { ($0.differs, $0.reference != nil) }
      if differs {
        try? await Task.sleep(for: settings.repetition)
      } else if isChecked {
        await wakeUp.wait(atMost: settings.interval)
      } else {
        // Soon, since nothing is checked. But a server that refuses the question counts and logs each one.
        await wakeUp.wait(atMost: pause)
        pause = min(pause * 2, settings.interval)
      }
      _ = try? await ask()
      try? check()
    }
  }

  /// Asks once. A question without an answer is in the log, and so is the first answer after it.
  ///
  /// - Returns: Why there is no answer; nil if there is one.
  /// - Throws: `CancellationError`.
  private func ask() async throws -> NATSError? {
    // The answer is made between this moment and its arrival, which is seconds later at most.
    let instant = ContinuousClock.now
    do {
      let time = try await connection.serverTime(within: settings.answer)
      let wasUnanswered = state.withLock { state in
        state.reference = Reference(time: time, instant: instant)
        defer { state.isUnanswered = false }
        return state.isUnanswered
      }
      if wasUnanswered { logger.notice("The server tells its time, so the clock of this machine is checked.") }
      return nil
    } catch let error as NATSError {
      let (wasUnanswered, isChecked) = state.withLock { state in
        defer { state.isUnanswered = true }
        return (state.isUnanswered, state.reference != nil)
      }
      guard !wasUnanswered else { return error }
      logger.warning(
        isChecked
          ? "The server does not tell its time any more, so its last answer counts."
          : "The server does not tell its time, so the clock of this machine is not checked.",
        metadata: ["reason": "\(error.failure.cause)"])
      return error
    }
  }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How an inspector compares the clock of its machine with that of its server.
package struct ClockSettings: Sendable {
  /// The clock of this machine.
  package var now: @Sendable () -> Date = { .now }
  /// How long to wait for the server's answer.
  package var answer = Duration.seconds(10)
  /// Between two questions while the clocks agree.
  package var interval = Duration.seconds(60)
  /// Between two questions while they differ, and after the first question without an answer.
  package var repetition = Duration.seconds(5)

  package init() {}
}
