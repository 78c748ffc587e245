package import TesseraPassport
package import TesseraVerification

/// A read whose verdict is known, before the desk receives it: everything that a record may be made of.
package struct FinishedRead: Sendable {
  package var readID: FleetReadID
  /// The desk, by the subject of its requests, which the server enforces.
  package var desk: DeskName
  package var mode: FleetReadingMode
  /// The version of the desk's software, by its own word.
  package var software: String
  package var report: Report
  package var dump: DocumentDump
  /// The version of the fleet's trust store that judged the read; nil for a store of this machine.
  package var trustVersion: UInt64?
  /// The inspector that judged the read.
  package var inspector: FleetIdentifier

  package init(
    readID: FleetReadID, desk: DeskName, mode: FleetReadingMode, software: String, report: Report, dump: DocumentDump,
    trustVersion: UInt64?, inspector: FleetIdentifier
  ) {
    self.readID = readID
    self.desk = desk
    self.mode = mode
    self.software = software
    self.report = report
    self.dump = dump
    self.trustVersion = trustVersion
    self.inspector = inspector
  }
}

/// Keeps the record of each read. An inspector tells the desk its verdict only after `record(_:)` has returned.
package protocol FleetRecording: Sendable {
  /// - Throws: any error if the record is kept nowhere; the desk then receives no verdict.
  func record(_ read: FinishedRead) async throws -> RecordOutcome
}

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
