import Dispatch
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraNATS

@Suite("The thread of a connection")
struct ConnectionThreadTests {
  /// A thread whose first call waits for the gate.
  private func blocked(limit: Int) async throws -> (thread: ConnectionThread, gate: DispatchSemaphore) {
    let (thread, gate, begun) = (ConnectionThread(limit), DispatchSemaphore(value: 0), Locked(false))
    try thread.add(bytes: 0) {
      begun.withLock { $0 = true }
      gate.wait()
    }
    try await eventually { begun.withLock { $0 } }
    return (thread, gate)
  }

  @Test("Calls run in their order, except those that were withdrawn")
  func order() async throws {
    let (thread, gate) = try await blocked(limit: 1 << 30)
    let ran = Locked<[Int]>([])
    var numbers: [UInt64] = []
    for number in 0..<5_000 {
      numbers.append(try thread.add(bytes: 10) { ran.withLock { $0.append(number) } })
    }
    for number in numbers where number.isMultiple(of: 3) { thread.withdraw(number) }
    let kept = numbers.indices.filter { !numbers[$0].isMultiple(of: 3) }
    #expect(thread.waiting == (kept.count, kept.count * (10 + ConnectionCalls.bytesPerCall)))
    gate.signal()
    await thread.awaitEarlierCalls()
    #expect(ran.withLock { $0 } == kept)
    #expect(thread.waiting == (0, 0))
    // Those that ran cannot be withdrawn, and neither can those that never were.
    for number in numbers + [.max] { thread.withdraw(number) }
    #expect(thread.waiting == (0, 0))
  }

  @Test("What waits is limited, except calls that give something back, and one that waits alone")
  func limit() async throws {
    let each = 1_000 + ConnectionCalls.bytesPerCall
    let (thread, gate) = try await blocked(limit: each * 3)
    let ran = Locked(0)
    let large = try thread.add(bytes: 1 << 40) { ran.withLock { $0 += 1 } }
    #expect(throws: NATSError.congested) { try thread.add(bytes: 0) {} }
    thread.withdraw(large)
    for _ in 0..<3 { try thread.add(bytes: 1_000) { ran.withLock { $0 += 1 } } }
    #expect(throws: NATSError.congested) { try thread.add(bytes: 0) {} }
    thread.addRelease { ran.withLock { $0 += 1 } }
    gate.signal()
    await thread.awaitEarlierCalls()
    #expect(ran.withLock { $0 } == 4)
  }

  @Test("What was added runs also after the end of the object")
  func end() async throws {
    let ran = Locked(0)
    weak var ended: ConnectionThread?
    let gate: DispatchSemaphore
    do {
      let (thread, opened) = try await blocked(limit: 1 << 30)
      (ended, gate) = (thread, opened)
      for _ in 0..<100 { try thread.add(bytes: 0) { ran.withLock { $0 += 1 } } }
    }
    #expect(ended == nil)
    gate.signal()
    try await eventually { ran.withLock { $0 } == 100 }
  }

  @Test("Calls of many tasks at once each run once")
  func many() async throws {
    let (thread, ran) = (ConnectionThread(), Locked<Set<Int>>([]))
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<1_000 {
            _ = try? thread.add(bytes: 0) { ran.withLock { _ = $0.insert(task * 1_000 + number) } }
          }
        }
      }
    }
    await thread.awaitEarlierCalls()
    #expect(ran.withLock { $0 } == Set(0..<8_000))
  }
}
