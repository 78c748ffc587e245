import TesseraThreads

/// A state that changes on other threads, and tells those who wait for a condition of it.
final class Observed<Value>: Sendable {
  private struct Contents {
    var value: Value
    var waiting: [Int: (condition: (Value) -> Bool, event: FirstResult<Void>)] = [:]
    var lastNumber = 0
  }
  private let contents: Locked<Contents>

  init(_ value: sending Value) { contents = Locked(Contents(value: value)) }

  /// Changes or reads the state.
  func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
    try contents.withLock { contents in
      defer {
        for (number, waiting) in contents.waiting where waiting.condition(contents.value) {
          contents.waiting[number] = nil
          waiting.event.settle(.success(()))
        }
      }
      return try body(&contents.value)
    }
  }

  /// Waits until the condition is true.
  ///
  /// - Returns: Whether it became true within the time limit. False as well if the task is cancelled.
  func becomes(within limit: Duration, _ condition: @escaping @Sendable (Value) -> Bool) async -> Bool {
    let event = FirstResult<Void>()
    let number = contents.withLock { contents -> Int? in
      guard !condition(contents.value) else { return nil }
      contents.lastNumber += 1
      contents.waiting[contents.lastNumber] = (condition, event)
      return contents.lastNumber
    }
    guard let number else { return true }
    defer { contents.withLock { _ = $0.waiting.removeValue(forKey: number) } }
    return (try? await withTimeLimit(limit) { try await event.value }) != nil
  }
}
