import TesseraSmartCard
import TesseraThreads

/// A channel that runs something before one exchange, counted from 0.
struct HookedChannel: CardChannel {
  let base: any CardChannel
  let index: Int
  let hook: @Sendable () async -> Void
  private let count = Locked(0)

  init(_ base: any CardChannel, before index: Int, _ hook: @escaping @Sendable () async -> Void) {
    self.base = base
    self.index = index
    self.hook = hook
  }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    if number == index { await hook() }
    return try await base.transmit(command)
  }

  func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
}
