internal import Logging
import TesseraDurableFiles
import TesseraThreads

/// The record of a program. If its file cannot be used, it is remembered while the process lives. Its calls block.
final class RecordStore: Sendable {
  typealias Change = @Sendable (inout OnboardingRecord) -> Void

  private struct State {
    var record: OnboardingRecord?
    /// The changes that the file does not have, since it could not be used.
    var unstored: [Change] = []
    /// The ids of reports that these changes added.
    var ownReports: Set<String> = []
    /// Whether there were more changes than are kept. Then the record here replaces that of the file.
    var replacesFile = false

    /// The record that the file should have.
    ///
    /// - Parameter stored: what the file has. Other processes may have changed it.
    func start(_ stored: OnboardingRecord?) -> OnboardingRecord {
      guard var stored, !replacesFile else {
        var record = record ?? OnboardingRecord()
        // Another process may have moved the reports that the file no longer has.
        record.keepReports(ownReports.union((stored?.reports ?? []).map(\.entry.id)))
        return record
      }
      for change in unstored { change(&stored) }
      return stored
    }

    func unstoredReports(of environment: FCKEnvironment) -> [OutboxEntry] {
      (record?.reports ?? []).filter { $0.environment == environment }.map(\.entry).filter {
        ownReports.contains($0.id)
      }
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
        return keep(change, in: &state, error)
      }
    }
  }

  /// Changes the record of this process only.
  ///
  /// - Parameter error: why the file cannot be used.
  private func keep<Result>(
    _ change: @escaping @Sendable (inout OnboardingRecord) -> Result, in state: inout State, _ error: any Error
  ) -> Result {
    if state.unstored.isEmpty {
      logger.error("What was finished and answered cannot be stored. \(OnboardingLog.cause(error))")
    }
    // The file may be readable, though another process keeps it from being changed.
    var record = state.record ?? (try? file.read()) ?? OnboardingRecord()
    let known = Set(record.reports.map(\.entry.id))
    let result = change(&record)
    state.ownReports.formUnion(record.reports.map(\.entry.id).filter { !known.contains($0) })
    state.record = record
    if state.unstored.count < Self.maximumUnstored {
      state.unstored.append { _ = change(&$0) }
    } else {
      state.replacesFile = true
    }
    return result
  }
}

// MARK: - Reports of completions

extension RecordStore {
  /// The reports that the file has. Files are replaced as a whole, so reading needs no lock.
  func storedReports(of environment: FCKEnvironment) -> [OutboxEntry] {
    ((try? file.read())?.reports ?? []).filter { $0.environment == environment }.map(\.entry)
  }

  /// The reports that only this process knows, since the file cannot be used.
  func unstoredReports(of environment: FCKEnvironment) -> [OutboxEntry] {
    state.withLock { $0.unstoredReports(of: environment) }
  }

  /// Removes reports that are in the outbox, in their order, up to the first one that is not.
  ///
  /// No two processes take the same report: all are taken under the lock of the file; without it, only those that the
  /// file does not have.
  ///
  /// - Parameter take: puts a report into the outbox, and returns whether it is there.
  func takeReports(of environment: FCKEnvironment, _ take: (OutboxEntry) -> Bool) {
    state.withLock { state in
      var taken: Set<String> = []
      func takeAll(_ entries: [OutboxEntry]) {
        for entry in entries where !taken.contains(entry.id) {
          guard take(entry) else { return }
          taken.insert(entry.id)
        }
      }
      do {
        let (record, _) = try file.update(from: state.start, isPatient: state.unstored.isEmpty) { record in
          takeAll(record.reports.filter { $0.environment == environment }.map(\.entry))
          record.removeReports(taken)
        }
        state = State(record: record)
      } catch {
        takeAll(state.unstoredReports(of: environment))
        guard !taken.isEmpty else { return }
        keep({ [taken] in $0.removeReports(taken) }, in: &state, error)
      }
    }
  }
}

/// The record of a program, in a file of mode 0600: `$XDG_STATE_HOME/<program>/fckonboarding/record.json`. Several
/// processes may use it. Its calls block, and throw `FolderError`.
struct RecordFile: Sendable {
  /// Each byte of an answer can take six in JSON. A completion carries all answers, too.
  private static let maximumSize =
    6 * OnboardingRecord.maximumText + (256 << 10) + OnboardingRecord.maximumReports * Outbox.maximumSize
  /// The longest wait for other processes that change the record. The program waits as long.
  static let longestWait = Duration.seconds(2)

  let folder: String
  private let wait: Duration

  /// - Parameter wait: the longest wait for other processes.
  init(folder: String, wait: Duration = Self.longestWait) {
    self.folder = folder
    self.wait = wait
  }

  private var file: DurableFile { DurableFile(path: "\(folder)/record.json") }

  /// The record; nil if there is none, or if it is damaged.
  func read() throws -> OnboardingRecord? {
    try file.bytes(upTo: Self.maximumSize).flatMap { OnboardingRecord(file: $0) }
  }

  /// Changes the record. It is made if there is none, or if it is damaged.
  ///
  /// - Parameters:
  ///   - start: makes the record before the change of what the file has; nil for none.
  ///   - isPatient: whether to wait for other processes.
  func update<Result>(
    from start: (OnboardingRecord?) -> OnboardingRecord = { $0 ?? OnboardingRecord() },
    isPatient: Bool = true, _ change: (inout OnboardingRecord) -> Result
  ) throws -> (OnboardingRecord, Result) {
    try FolderLock(folder: folder, limit: isPatient ? wait : .zero).withLock {
      let previous = try read()
      var record = start(previous)
      let result = change(&record)
      if record != previous { _ = try file.write(record.file, replacing: true) }
      return (record, result)
    }
  }
}
