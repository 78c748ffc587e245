import TesseraThreads

/// The result of one playback.
public struct PlaybackReport: Sendable, Equatable {
  public enum Outcome: Sendable, Equatable {
    /// The pattern was played to its end.
    case complete
    /// The same pattern was started again.
    case restarted
    /// Too many other patterns were started.
    case displaced
    /// The task that waited for the playback was cancelled.
    case cancelled
    /// The device was unplugged, or the player was released.
    case unplugged
    /// The program that serves the device stopped answering.
    case unserved
  }

  /// nil if the playback ended before it began.
  public let device: RumbleDevice?
  public let outcome: Outcome
  /// The number of effects that were started.
  public let started: Int
  /// The number of effects that were not started, by reason.
  public let omissions: [EffectOmission: Int]

  package init(
    device: RumbleDevice?, outcome: Outcome, started: Int = 0, omissions: [EffectOmission: Int] = [:]
  ) {
    self.device = device
    self.outcome = outcome
    self.started = started
    self.omissions = omissions
  }

  /// Remarks for the user, one sentence each.
  public var remarks: [String] {
    switch outcome {
    case .unplugged: return ["The device was unplugged during the playback."]
    case .unserved: return ["The program that serves the device stopped answering during the playback."]
    case .complete, .restarted, .displaced, .cancelled: break
    }
    return omissions.map { omission, count in
      "\(count == 1 ? "1 effect was" : "\(count) effects were") left out: \(omission.cause)."
    }.sorted()
  }
}

/// Connects the caller of a playback with the player's thread.
final class PlaybackTicket: Sendable {
  private let result = FirstResult<PlaybackReport>()
  private let cancelled = Locked(false)

  var isCancelled: Bool { cancelled.withLock { $0 } }

  func cancel() { cancelled.withLock { $0 = true } }

  /// Completes the playback. Only the first call counts.
  func complete(_ outcome: Result<PlaybackReport, HapticError>) { result.settle(outcome.mapError { $0 as any Error }) }

  /// Waits for the end of the playback. Only one task may wait.
  var report: PlaybackReport {
    get async throws { try await result.value }
  }
}
