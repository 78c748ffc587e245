/// What a connection writes; how it looks on the wire is the framing's business.
enum Outgoing: Sendable {
  case message(String)
  /// The last that is written.
  case closing(ClosingReason)
  /// Nothing: comes after all that was written before.
  case end
}
