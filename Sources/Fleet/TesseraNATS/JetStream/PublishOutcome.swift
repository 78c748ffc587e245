/// What became of a message that a stream was to store.
package enum PublishOutcome: Sendable, Equatable {
  case stored(sequence: UInt64)
  /// The stream has a message with this id.
  case duplicate(sequence: UInt64)
  /// Nothing was stored: the subject has a message already.
  case occupied
  /// Nothing was stored: the subject has a message already, or the stream has reached its limit of bytes. JetStream
  /// has one error number for both (10077), so ask for the last message of the subject.
  case occupiedOrFull
}
