import Threads

/// How a playback ended.
public struct PlaybackReport: Sendable, Equatable {
  public enum End: Sendable, Equatable {
    /// It was played to its end.
    case complete
    /// The same pattern was started anew.
    case restarted
    /// Too many others were started.
    case displaced
    /// Whoever waited for it does no longer.
    case cancelled
    /// The device was unplugged, or the player ended.
    case unplugged
  }

  /// nil where it ended before it was begun.
  public let device: RumbleDevice?
  public let end: End
  /// How many effects were started.
  public let started: Int
  /// How many were not, and why.
  public let omissions: [EffectOmission: Int]

  public init(device: RumbleDevice?, end: End, started: Int = 0, omissions: [EffectOmission: Int] = [:]) {
    self.device = device
    self.end = end
    self.started = started
    self.omissions = omissions
  }

  /// What is to be told to whoever asked, in a sentence each.
  public var remarks: [String] {
    guard end != .unplugged else { return ["The device was unplugged in the middle."] }
    return omissions.map { omission, count in
      "\(count == 1 ? "1 effect was" : "\(count) effects were") left out: \(omission.cause)."
    }.sorted()
  }
}

/// Ties one who asked for a pattern to its playback.
final class PlaybackTicket: Sendable {
  typealias Outcome = Result<PlaybackReport, HapticError>

  private struct State {
    var outcome: Outcome?
    var waiting: CheckedContinuation<Outcome, Never>?
    var isCancelled = false
  }

  private let state = Locked(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() { state.withLock { $0.isCancelled = true } }

  /// The first outcome is the one that counts.
  func complete(_ outcome: Outcome) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: outcome)
  }

  /// Waits for it; one may.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Outcome? in
        if state.outcome == nil { state.waiting = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
