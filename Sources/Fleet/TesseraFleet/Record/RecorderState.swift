package import TesseraCore

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
