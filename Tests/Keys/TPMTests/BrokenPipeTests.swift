import Foundation
import Synchronization
import TesseraThreads
import Testing

private let receivedSignals = Atomic<Int>(0)

@Suite("Broken pipes", .serialized, .timeLimit(.minutes(15)))
struct BrokenPipeTests {
  @Test("a write to a closed pipe fails without a signal, on an own and on a foreign thread")
  func noSignal() async throws {
    // The test runner may ignore the signal; a program does not.
    let earlier = signal(SIGPIPE) { _ in receivedSignals.add(1, ordering: .sequentiallyConsistent) }
    defer { signal(SIGPIPE, earlier) }
    #expect(signals { Self.writeToClosedPipe() } == 1, "the signal occurs without the protection")
    #expect(signals { BrokenPipe.withoutSignal { Self.writeToClosedPipe() } } == 0)
    #expect(
      signals {
        BrokenPipe.withoutSignal { Self.writeToClosedPipe() }
        Self.writeToClosedPipe()
      } == 1, "the thread's signal mask is restored")
    #expect(
      signals {
        BrokenPipe.blockSignal()
        Self.writeToClosedPipe()
      } == 0)
  }

  /// The signals that `body` raises on a new thread.
  private func signals(_ body: @escaping @Sendable () -> Void) -> Int {
    receivedSignals.store(0, ordering: .sequentiallyConsistent)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      body()
      done.signal()
    }
    thread.start()
    done.wait()
    return receivedSignals.load(ordering: .sequentiallyConsistent)
  }

  private static func writeToClosedPipe() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    close(ends[0])
    #expect(write(ends[1], [1], 1) == -1 && errno == EPIPE)
    close(ends[1])
  }
}
