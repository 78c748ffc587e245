/// A message of a stream.
package struct StoredMessage: Sendable, Equatable {
  package let subject: String
  package let sequence: UInt64
  /// ISO 8601, by the clock of the stream's leader.
  package let time: String
  package let headers: NATSHeaders
  package let payload: [UInt8]

  /// nil if the server's answer lacks the headers of a direct request.
  init?(_ answer: NATSMessage) {
    guard let subject = answer.headers["Nats-Subject"],
      let sequence = answer.headers["Nats-Sequence"].flatMap({ UInt64($0) })
    else { return nil }
    self.subject = subject
    self.sequence = sequence
    time = answer.headers["Nats-Time-Stamp"] ?? ""
    headers = answer.headers
    payload = answer.payload
  }
}
