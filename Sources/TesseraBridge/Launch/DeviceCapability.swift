import TesseraCore
import TesseraThreads

/// Whether a provider has its device, for a page that waits 800 ms for its configuration.
///
/// The service behind a provider may have to start first, or a device to wake up. An answer that comes too late serves
/// the next query.
final class DeviceCapability: Sendable {
  static let limit = Duration.milliseconds(500)
  private let last = Locked<[Caller: Bool]>([:])

  /// - Parameter query: asks the provider.
  func isPresent(for caller: Caller, _ query: @escaping @Sendable () async -> Bool) async -> Bool {
    // A task of its own: the time limit ends the wait, not the query.
    let query = Task {
      let answer = await query()
      keep(answer, caller)
      return answer
    }
    let answer = try? await withTimeLimit(Self.limit) { await query.value }
    return answer ?? last.withLock { $0[caller] } ?? false
  }

  private func keep(_ answer: Bool, _ caller: Caller) {
    last.withLock { last in
      // Pages of any number of origins may ask.
      if last.count >= 256 { last = [:] }
      last[caller] = answer
    }
  }
}
