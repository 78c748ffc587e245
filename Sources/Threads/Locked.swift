import Foundation

/// A value under a lock that ThreadSanitizer sees. It does not see the hand-over of a contended `Mutex` of the
/// standard library (Swift 6.3.1 on Linux) and reports races there that are none; so what many tasks contend for is under
/// this one.
///
/// `@unchecked Sendable`: the value is touched under the lock only, and `sending` lets nothing in or out that somebody else
/// still holds.
public final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  public init(_ value: sending Value) { self.value = value }

  public func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
