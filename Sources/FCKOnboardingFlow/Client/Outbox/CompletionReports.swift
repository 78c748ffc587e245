internal import Logging
import TesseraThreads

/// Moves the reports of completions from the record into the outbox.
///
/// The flag of a placement and its reports are written as one. Whoever finds reports in the record moves them, also after
/// a crash: an entry that the outbox has already is not added again. So that it is not sent before, and then added, the
/// sender moves reports before it sends an entry. Its calls block.
struct CompletionReports: Sendable {
  let record: RecordStore
  let outbox: Outbox
  let environment: FCKEnvironment
  let logger: Logger

  /// Moves all reports.
  ///
  /// - Returns: the entries that cannot be written.
  func move() -> [OutboxEntry] {
    guard record.hasReports(of: environment) else { return [] }
    // The change can be called again, when the record can be stored.
    let moved = Locked<[String: Bool]>([:])
    // One process moves at a time: the record is locked meanwhile.
    return record.update { [outbox, environment, logger] record in
      let entries = record.reports.filter { $0.environment == environment }.map(\.entry)
      let unstored = moved.withLock { moved in
        for entry in entries where moved[entry.id] == nil {
          let isThere = (try? outbox.contains(entry.id)) == true
          moved[entry.id] = isThere || outbox.append([entry], logger: logger).isEmpty
        }
        return entries.filter { moved[$0.id] == false }
      }
      record.removeReports(Set(entries.map(\.id)))
      return unstored
    }
  }
}
