import TesseraDurableFiles

/// The record of a program, in a file of mode 0600: `$XDG_STATE_HOME/<program>/fckonboarding/record.json`. Several
/// processes may use it. Its calls block, and throw `FolderError`.
struct RecordFile: Sendable {
  /// Each byte of an answer can take six in JSON.
  private static let maximumSize = 6 * OnboardingRecord.maximumText + (256 << 10)

  let folder: String

  private var file: DurableFile { DurableFile(path: "\(folder)/record.json") }

  /// The record; nil if there is none, or if it is damaged.
  func read() throws -> OnboardingRecord? {
    try file.bytes(upTo: Self.maximumSize).flatMap { OnboardingRecord(file: $0) }
  }

  /// Changes the record. It is made if there is none, or if it is damaged.
  ///
  /// - Parameter unstored: a record that could not be written before. It replaces the one of the file.
  func update<Result>(
    from unstored: OnboardingRecord? = nil, _ change: (inout OnboardingRecord) -> Result
  ) throws -> (OnboardingRecord, Result) {
    try FolderLock(folder: folder).withLock {
      let previous = try read()
      var record = unstored ?? previous ?? OnboardingRecord()
      let result = change(&record)
      if record != previous { _ = try file.write(record.file, replacing: true) }
      return (record, result)
    }
  }
}
