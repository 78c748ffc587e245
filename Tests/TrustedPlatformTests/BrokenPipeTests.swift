import Foundation
import Synchronization
import Testing
import Threads

private let receivedSignals = Atomic<Int>(0)

@Suite("Broken pipes", .serialized, .timeLimit(.minutes(15)))
struct BrokenPipeTests {
  @Test("a write to nobody fails without a signal, on a thread of our own and on a borrowed one")
  func noSignal() async throws {
    // The test runner may ignore the signal; a program does not.
    let earlier = signal(SIGPIPE) { _ in receivedSignals.add(1, ordering: .sequentiallyConsistent) }
    defer { signal(SIGPIPE, earlier) }
    #expect(signals { Self.writeToNobody() } == 1, "what would happen")
    #expect(signals { BrokenPipe.withoutSignal { Self.writeToNobody() } } == 0)
    #expect(
      signals {
        BrokenPipe.withoutSignal { Self.writeToNobody() }
        Self.writeToNobody()
      } == 1, "the thread is given back as it was")
    #expect(
      signals {
        BrokenPipe.blockSignal()
        Self.writeToNobody()
      } == 0)
  }

  /// The signals that `body` brings about on a new thread.
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

  private static func writeToNobody() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    close(ends[0])
    #expect(write(ends[1], [1], 1) == -1 && errno == EPIPE)
    close(ends[1])
  }
}
