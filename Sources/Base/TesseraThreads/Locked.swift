import Dispatch
import Glibc

/// A value under a lock that ThreadSanitizer understands. ThreadSanitizer does not see the handover of a contended
/// `Mutex` of the standard library (Swift 6.3.1 on Linux), and reports false races there. So values that many tasks
/// contend for use this type.
///
/// `@unchecked Sendable`: the value is accessed under the lock only, and `sending` prevents references to it from
/// outside.
package final class Locked<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}

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
