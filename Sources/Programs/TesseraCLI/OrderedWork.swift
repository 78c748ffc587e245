import FoundationEssentials

/// Runs many computations on all cores and delivers their results in order.
enum OrderedWork {
  /// How many results may wait for an earlier one, for each core. It bounds the memory.
  private static let waitingResults = 8

  /// - Parameters:
  ///   - count: the number of computations.
  ///   - body: computes the result with this index. No more of them run at once than there are cores.
  ///   - receive: receives the results in the order of their indices.
  /// - Throws: what `receive` throws; `CancellationError`.
  static func run<Output: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Output, receive: (Output) throws -> Void
  ) async throws {
    let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var started = 0
      var running = 0
      var received = 0
      var finished: [Int: Output] = [:]
      while received < count {
        while started < count, running < cores, started < received + cores * waitingResults {
          let index = started
          group.addTask { (index, body(index)) }
          started += 1
          running += 1
        }
        guard let (index, output) = try await group.next() else { return }
        try Task.checkCancellation()
        running -= 1
        finished[index] = output
        while let output = finished.removeValue(forKey: received) {
          received += 1
          try receive(output)
        }
      }
    }
  }
}
