import TesseraCore
import TesseraThreads

/// Whether the biometric provider can authenticate a caller, for a page that waits 800 ms for its configuration.
///
/// The service behind a provider may have to start first. An answer that comes too late serves the next query.
final class BiometricCapability: Sendable {
  static let limit = Duration.milliseconds(500)
  private let last = Locked<[Caller: Bool]>([:])

  func isPresent(_ provider: (any BiometricProvider)?, _ caller: Caller) async -> Bool {
    guard let provider else { return false }
    // A task of its own: the time limit ends the wait, not the query.
    let query = Task {
      let answer = await provider.isAvailable(for: caller)
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
