/// The output of a connection, which the framing encodes for the wire.
enum Outgoing: Sendable {
  /// Encoded messages, in their order.
  case messages([[UInt8]])
  /// The last data of a connection that the service closes.
  case closing(ClosingReason)
  /// No data. Its write completes after all writes before it.
  case end
}
