internal import Logging

/// Moves the reports of completions from the record into the outbox.
///
/// The flag of a placement and its reports are written as one. A report leaves the record when the outbox has it on the
/// disk. Whoever finds reports in the record moves them, also after a crash: an entry that the outbox has already is
/// not added again. So that it is not sent before, and then added, no entry is sent whose report the record still has.
/// Its calls block.
struct CompletionReports: Sendable {
  let record: RecordStore
  let outbox: Outbox
  let environment: FCKEnvironment
  let logger: Logger

  /// Moves the reports that can be moved now.
  ///
  /// - Returns: the ids of those that the record has afterwards.
  func move() -> Set<String> {
    guard !stored.isEmpty || !unstored.isEmpty else { return [] }
    record.takeReports(of: environment) { outbox.append($0, logger: logger) }
    return stored
  }

  /// The ids of the reports that the file of the record has.
  var stored: Set<String> { Set(record.storedReports(of: environment).map(\.id)) }

  /// The reports that neither the record nor the outbox has on the disk, since their files cannot be used.
  var unstored: [OutboxEntry] { record.unstoredReports(of: environment) }

  /// Forgets a report that the server has.
  ///
  /// - Returns: its entries in the outbox. While it was sent, the files may have become usable, and the report may have
  ///   been moved.
  func forget(_ id: String) -> [Outbox.Name] {
    record.update { $0.removeReports([id]) }
    // An outbox that cannot be read has no entry.
    return ((try? outbox.names()) ?? []).filter { $0.id == id }
  }
}
