import Foundation
import TesseraThreads
import Testing

@testable import TesseraCLI

@Suite("Computations on all cores")
struct OrderedWorkTests {
  private struct Counts {
    var running = 0
    var most = 0
    var started = 0
    var received = 0
    var mostWaiting = 0
  }

  @Test("no more run at once than there are cores, and the results come in order")
  func order() async throws {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let counts = Locked(Counts())
    let (overtaken, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var results: [Int] = []
    try await OrderedWork.run(40 * cores) { index in
      counts.withLock { counts in
        counts.started += 1
        counts.running += 1
        counts.most = max(counts.most, counts.running)
        counts.mostWaiting = max(counts.mostWaiting, counts.started - counts.received)
      }
      // Those after the first one would overtake it by far.
      if index == 0, cores > 1 { _ = overtaken.wait(timeout: .now() + 600) }
      // Others than these would begin now, if they could.
      if 1..<cores ~= index { _ = never.wait(timeout: .now() + 0.1) }
      if index == 8 * cores - 1 { overtaken.signal() }
      counts.withLock { $0.running -= 1 }
      return index
    } receive: {
      results.append($0)
      counts.withLock { $0.received += 1 }
    }
    #expect(results == Array(0..<40 * cores))
    let (most, waiting) = counts.withLock { ($0.most, $0.mostWaiting) }
    #expect(most <= cores)
    // The bound of the memory: eight results for each core.
    #expect(waiting <= 8 * cores, "\(waiting)")
  }

  @Test("what receives the results ends the work with its error")
  func failure() async {
    await #expect(throws: CancellationError.self) {
      try await OrderedWork.run(100) {
        $0
      } receive: {
        if $0 == 3 { throw CancellationError() }
      }
    }
  }
}
