import Synchronization

/// The identity of one connection to the router: a socket connection or a window. A connection can stop only its own
/// scans, even if other connections have the same caller.
public struct BridgeConnection: Sendable, Hashable {
  private static let count = Atomic<UInt64>(0)
  private let number: UInt64

  /// Creates a connection that differs from all others.
  public init() { number = Self.count.add(1, ordering: .relaxed).newValue }

  /// The connection of a router with a single client.
  public static let only = BridgeConnection()
}
