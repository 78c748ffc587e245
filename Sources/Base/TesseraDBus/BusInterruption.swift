internal import CTesseraSystemd
import Glibc
import Synchronization

/// Ends a blocking call of a `BusConnection` from another thread. An interruption before the start of the call takes
/// effect as well. Use one object for each operation.
package final class BusInterruption: Sendable {
  let descriptor: Int32
  private let triggered = Atomic(false)

  /// - Throws: `BusError.system` if the process has no free descriptor.
  package init() throws(BusError) {
    descriptor = eventfd(0, tessera_eventfd_flags)
    guard descriptor >= 0 else { throw .system(operation: "eventfd", code: errno) }
  }

  deinit { close(descriptor) }

  package var isInterrupted: Bool { triggered.load(ordering: .acquiring) }

  /// May be called on any thread, several times.
  package func interrupt() {
    triggered.store(true, ordering: .releasing)
    _ = eventfd_write(descriptor, 1)
  }
}
