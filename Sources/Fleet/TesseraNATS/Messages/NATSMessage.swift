/// A message on a subject.
package struct NATSMessage: Sendable, Equatable {
  /// Tokens separated by full stops, without wildcards.
  package var subject: String
  /// Where an answer goes; nil if none is wanted.
  package var reply: String?
  package var headers: NATSHeaders
  package var payload: [UInt8]

  /// About the bytes that it takes of the limit of a server.
  var size: Int { payload.count + headers.size }

  package init(subject: String, reply: String? = nil, headers: NATSHeaders = [], payload: [UInt8]) {
    self.subject = subject
    self.reply = reply
    self.headers = headers
    self.payload = payload
  }
}
