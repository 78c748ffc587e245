internal import Logging
import TesseraThreads

/// The record of a program. If its file cannot be used, it is remembered while the process lives. Its calls block.
final class RecordStore: Sendable {
  private struct State {
    var record: OnboardingRecord?
    /// Whether the file does not have the record, since a write failed.
    var isUnstored = false
  }

  private let file: RecordFile
  private let state = Locked(State())
  private let logger: Logger

  init(folder: String, logger: Logger) {
    file = RecordFile(folder: folder)
    self.logger = logger
  }

  /// The record, which is made if there is none.
  func current() -> OnboardingRecord { update { $0 } }

  /// Changes the record.
  ///
  /// - Returns: what `change` returns.
  func update<Result: Sendable>(_ change: @Sendable (inout OnboardingRecord) -> Result) -> Result {
    state.withLock { state in
      do {
        let (record, result) = try file.update(from: state.isUnstored ? state.record : nil, change)
        state.record = record
        state.isUnstored = false
        return result
      } catch {
        if !state.isUnstored {
          logger.error("What was finished and answered cannot be stored. \(OnboardingLog.cause(error))")
        }
        var record = state.record ?? OnboardingRecord()
        let result = change(&record)
        state.record = record
        state.isUnstored = true
        return result
      }
    }
  }
}
