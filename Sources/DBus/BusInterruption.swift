internal import CSystemd
import Foundation
import Synchronization

/// Ends a blocking call of a `BusConnection` from another thread, by a descriptor that the call waits on as well; an
/// interruption that comes before the call begins is not lost. It is used up by that: one per operation.
public final class BusInterruption: Sendable {
  let descriptor: Int32
  private let triggered = Atomic(false)

  /// - Throws: `BusError.system` when the process has no descriptor left.
  public init() throws(BusError) {
    descriptor = eventfd(0, tessera_eventfd_flags)
    guard descriptor >= 0 else { throw .system(operation: "eventfd", code: errno) }
  }

  deinit { close(descriptor) }

  public var isInterrupted: Bool { triggered.load(ordering: .acquiring) }

  /// May be called from any thread, many times.
  public func interrupt() {
    triggered.store(true, ordering: .releasing)
    _ = eventfd_write(descriptor, 1)
  }
}
