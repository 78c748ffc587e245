import TesseraDurableFiles

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
