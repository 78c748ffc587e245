import Synchronization

/// One asker's way to the router: a socket's connection, a window. Several of one origin or one user are told apart by
/// it, so that none stops what another one began.
public struct BridgeConnection: Sendable, Hashable {
  private static let count = Atomic<UInt64>(0)
  private let number: UInt64

  /// A connection that is none of the others.
  public init() { number = Self.count.add(1, ordering: .relaxed).newValue }

  /// For a router that has one asker.
  public static let only = BridgeConnection()
}
