package import Logging
package import TesseraCore
package import TesseraNATS
internal import TesseraThreads

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Keeps the record of each read: first in the spool, then in the stream. What the stream has acknowledged leaves the
/// spool.
package final class FleetRecorder: FleetRecording {
  let sender: RecordSender
  let spool: RecordSpool
  let logger: Logger
  let intervals: SpoolIntervals
  let wakeUp = WakeUp()
  private let policy: RecordPolicy
  /// How long a desk waits for the acknowledgement before its record is left in the spool.
  private let patience: Duration

  struct State {
    /// Records in the spool, as far as this process knows.
    var waiting: Set<SpoolName> = []
    /// Those of them that `record(_:)` sends at this moment.
    var underWay: Set<SpoolName> = []
    /// Whether `run()` waits without a limit, since nothing is left to send.
    var isIdle = false
    /// Records that this version cannot read.
    var unreadable: [SpoolName: SpooledRecord.Problem] = [:]
    var refused = 0
    var damaged = 0
    var lastError: Failure?
  }
  let state = Locked(State())

  private static let pause = Duration.milliseconds(250)

  /// - Parameters:
  ///   - spool: the folder of the spool, an absolute path.
  ///   - patience: how long `record(_:)` tries before it leaves a record in the spool. A cluster needs seven seconds to
  ///     elect another leader.
  package convenience init(
    _ connection: NATSConnection, spool: String, policy: RecordPolicy, patience: Duration = .seconds(12),
    logger: Logger = Logger(label: "tessera.fleet")
  ) throws {
    self.init(connection, spool: RecordSpool(folder: spool), policy: policy, patience: patience, logger: logger)
  }

  /// - Parameters:
  ///   - timeout: for the acknowledgement of one message.
  ///   - intervals: of `run()`.
  package init(
    _ connection: NATSConnection, spool: RecordSpool, policy: RecordPolicy, patience: Duration = .seconds(12),
    timeout: Duration = .seconds(4), intervals: SpoolIntervals = SpoolIntervals(),
    logger: Logger = Logger(label: "tessera.fleet")
  ) {
    sender = RecordSender(stream: JetStream(connection, timeout: timeout), timeout: timeout)
    self.spool = spool
    self.policy = policy
    self.patience = patience
    self.intervals = intervals
    self.logger = logger
    let wakeUp = wakeUp
    connection.onStateChange { if $0 != .reconnecting { wakeUp.signal() } }
  }

  // MARK: - One record

  /// - Throws: `FleetError` with the code `notRecorded` if neither the spool nor the stream has the record;
  ///   `CryptographyError` if the policy's encryption fails.
  package func record(_ read: FinishedRead) async throws -> RecordOutcome {
    try await record(ReadRecord(read, policy: policy))
  }

  package func record(_ record: ReadRecord) async throws -> RecordOutcome {
    // A desk or an inspector that ends does not keep its record from being sent.
    try await Task { try await self.keep(record) }.value
  }

  private func keep(_ record: ReadRecord) async throws -> RecordOutcome {
    let name = await spooled(record)
    defer {
      if let name { release(name) }
    }
    do {
      switch try await send(record) {
      case .stored:
        if let name { await remove(name) }
        return .recorded
      case .conflict:
        // The desk is told so, and receives no verdict.
        if let name { await remove(name) }
        return .conflict
      }
    } catch {
      note(error, "The stream has not acknowledged a record.", record)
      guard name != nil else { throw FleetError(.notRecorded) }
      return .spooled
    }
  }

  /// Lets `run()` send a record if it still waits. An attempt of `run()` that is due later comes no earlier: while the
  /// stream is away, each read would cause one.
  private func release(_ name: SpoolName) {
    let wakes = state.withLock { state in
      state.underWay.remove(name)
      guard state.isIdle, state.waiting.contains(name) else { return false }
      state.isIdle = false
      return true
    }
    if wakes { wakeUp.signal() }
  }

  /// Writes a record to the spool; nil if that fails.
  private func spooled(_ record: ReadRecord) async -> SpoolName? {
    do {
      let name = SpoolName(time: Date.now, messageID: try record.messageID)
      // Before `run()` can find it there, so that it is not sent twice at the same time.
      state.withLock { _ = $0.underWay.insert(name) }
      do {
        try await spool.set(record, for: name)
      } catch {
        state.withLock { _ = $0.underWay.remove(name) }
        throw error
      }
      state.withLock { _ = $0.waiting.insert(name) }
      return name
    } catch {
      note(error, "The spool cannot keep a record.", record)
      return nil
    }
  }

  /// Tries until the stream answers or the patience ends.
  private func send(_ record: ReadRecord) async throws -> RecordDelivery {
    let end = ContinuousClock.now + patience
    while true {
      do {
        return try await sender.send(record)
      } catch let error as NATSError where error.isTemporary && .now + Self.pause < end {
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  private func remove(_ name: SpoolName) async {
    do {
      try await removeFromSpool(name)
    } catch {
      // It is sent again, and the stream has it already.
      note(error, "A record that the stream has acknowledged cannot be removed from the spool.", nil)
    }
  }

  func removeFromSpool(_ name: SpoolName) async throws {
    try await spool.remove(name)
    state.withLock { state in
      state.waiting.remove(name)
      state.lastError = nil
    }
  }

  func note(_ error: any Error, _ event: Logger.Message, _ record: ReadRecord?) {
    let failure = Failure(error)
    state.withLock { $0.lastError = failure }
    var metadata: Logger.Metadata = ["reason": "\(failure.cause)"]
    if let record { metadata["read"] = "\(record.readID)" }
    logger.warning(event, metadata: metadata)
  }

  // MARK: - State

  /// What this recorder knows of its spool. `run()` finds what other processes left there.
  package var current: RecorderState {
    state.withLock { state in
      let waiting = state.waiting.filter { state.unreadable[$0] == nil }
      let problems = state.unreadable.values
      return RecorderState(
        spooled: waiting.count,
        // A clock that was set back gives no negative age.
        oldest: waiting.map(\.time).min().map { Int(max(0, min(-$0.timeIntervalSinceNow, 1e12))) },
        refused: state.refused, damaged: state.damaged + problems.count { $0 == .malformed },
        laterVersion: problems.count { $0 == .laterVersion }, lastError: state.lastError)
    }
  }

  package var figures: SpoolFigures {
    let current = current
    return SpoolFigures(records: current.spooled, oldest: current.oldest)
  }
}

extension NATSError {
  /// Whether the same message may be stored a moment later.
  fileprivate var isTemporary: Bool {
    switch self {
    case .timeout, .noResponders, .disconnected, .congested: true
    default: false
    }
  }
}

/// What a recorder has to say of its spool.
package struct RecorderState: Sendable, Equatable {
  /// The records that wait for the stream.
  package var spooled = 0
  /// The seconds since the oldest of them was written; nil if there is none.
  package var oldest: Int?
  /// The records that are kept because the stream has another one of their read.
  package var refused = 0
  /// The files that cannot be read.
  package var damaged = 0
  /// The records of a later version of Tessera, which it sends once it runs.
  package var laterVersion = 0
  /// The last error of the spool or the stream; nil if the last record was acknowledged.
  package var lastError: Failure?
}

/// How often a recorder looks after its spool while records wait there.
package struct SpoolIntervals: Sendable {
  /// After which the spool is listed again, for records that another process has left. Each listing opens all files.
  package var listing = Duration.seconds(300)
  /// Between two attempts to send records: the first pause, and the limit of its growth.
  package var pauses: ClosedRange<Duration> = .milliseconds(250) ... .seconds(30)

  package init() {}
}
