package enum NATSConnectionState: Sendable, Equatable {
  case connected
  /// The connection was lost, and is being made again without limit.
  case reconnecting
  case closed
}
