/// A message on a subject.
package struct NATSMessage: Sendable, Equatable {
  /// Tokens separated by full stops, without wildcards.
  package var subject: String
  /// Where an answer goes; nil if none is wanted.
  package var reply: String?
  package var headers: NATSHeaders
  package var payload: [UInt8]

  package init(subject: String, reply: String? = nil, headers: NATSHeaders = [], payload: [UInt8]) {
    self.subject = subject
    self.reply = reply
    self.headers = headers
    self.payload = payload
  }
}
