/// What became of a record.
package enum RecordOutcome: Sendable, Equatable {
  /// The stream has acknowledged it, or has the same record already: of an earlier attempt at this read, whose answer
  /// was lost, with the same verdict on the same document, and at most ten minutes earlier or later.
  case recorded
  /// It is in this machine's spool and is sent once the stream answers.
  case spooled
  /// The stream has another record of this read.
  case conflict
}
