import TesseraSmartCard
import TesseraThreads

/// A channel that runs something before its exchanges, which are counted from 0.
struct HookedChannel: CardChannel {
  let base: any CardChannel
  let hook: @Sendable (Int) async -> Void
  private let count = Locked(0)

  /// - Parameter hook: receives the number of the exchange.
  init(_ base: any CardChannel, _ hook: @escaping @Sendable (Int) async -> Void) {
    self.base = base
    self.hook = hook
  }

  /// Runs the hook before one exchange only.
  init(_ base: any CardChannel, before index: Int, _ hook: @escaping @Sendable () async -> Void) {
    self.init(base) { number in if number == index { await hook() } }
  }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    await hook(number)
    return try await base.transmit(command)
  }

  func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
}
