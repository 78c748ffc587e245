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
