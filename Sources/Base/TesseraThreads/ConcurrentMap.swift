import Dispatch

extension RandomAccessCollection where Self: Sendable, Element: Sendable, Index: Sendable {
  /// The results of a computation for every element, in their order. Uses all cores and returns when all are done.
  ///
  /// - Parameter pieceCount: the number of parts into which the collection is divided; more parts balance better.
  package func concurrentMap<Result: Sendable>(
    pieceCount: Int = 64, _ transform: @escaping @Sendable (Element) -> Result
  ) -> [Result] {
    guard count > 1 else { return map(transform) }
    let pieces = Swift.min(pieceCount, count)
    let results = Locked([[Result]?](repeating: nil, count: pieces))
    DispatchQueue.concurrentPerform(iterations: pieces) { number in
      let first = index(startIndex, offsetBy: count * number / pieces)
      let end = index(startIndex, offsetBy: count * (number + 1) / pieces)
      let part = self[first..<end].map(transform)
      results.withLock { $0[number] = part }
    }
    return results.withLock { $0.flatMap { $0 ?? [] } }
  }
}
