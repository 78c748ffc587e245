internal import Logging
import TesseraThreads

/// The record of a program. If its file cannot be used, it is remembered while the process lives. Its calls block.
final class RecordStore: Sendable {
  typealias Change = @Sendable (inout OnboardingRecord) -> Void

  private struct State {
    var record: OnboardingRecord?
    /// The changes that the file does not have, since it could not be used.
    var unstored: [Change] = []
    /// Whether there were more of them than are kept. Then the record here replaces that of the file.
    var replacesFile = false

    /// The record that the file should have.
    ///
    /// - Parameter stored: what the file has. Other processes may have changed it.
    func start(_ stored: OnboardingRecord?) -> OnboardingRecord {
      guard var stored, !replacesFile else { return record ?? OnboardingRecord() }
      for change in unstored { change(&stored) }
      return stored
    }
  }

  private static let maximumUnstored = 1_000

  private let file: RecordFile
  private let state = Locked(State())
  private let logger: Logger

  init(_ file: RecordFile, logger: Logger) {
    self.file = file
    self.logger = logger
  }

  /// The record, which is made if there is none.
  func current() -> OnboardingRecord { update { $0 } }

  /// Whether reports of a completion wait in the record.
  func hasReports(of environment: FCKEnvironment) -> Bool {
    state.withLock { state in
      // Files are replaced as a whole, so reading needs no lock.
      let record = state.unstored.isEmpty ? (try? file.read()) : state.record
      return record?.reports.contains { $0.environment == environment } ?? false
    }
  }

  /// Changes the record.
  ///
  /// - Parameter change: it may be called again later, when the file can be used.
  /// - Returns: what `change` returns.
  func update<Result: Sendable>(_ change: @escaping @Sendable (inout OnboardingRecord) -> Result) -> Result {
    state.withLock { state in
      do {
        // After a wait in vain, what follows does not wait again.
        let (record, result) = try file.update(from: state.start, isPatient: state.unstored.isEmpty, change)
        state = State(record: record)
        return result
      } catch {
        if state.unstored.isEmpty {
          logger.error("What was finished and answered cannot be stored. \(OnboardingLog.cause(error))")
        }
        // The file may be readable, though another process keeps it from being changed.
        var record = state.record ?? (try? file.read()) ?? OnboardingRecord()
        let result = change(&record)
        state.record = record
        if state.unstored.count < Self.maximumUnstored {
          state.unstored.append { _ = change(&$0) }
        } else {
          state.replacesFile = true
        }
        return result
      }
    }
  }
}
