import Dispatch
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraNATS

@Suite("Messages that wait for a handler")
struct SubscriptionQueueTests {
  private func message(_ number: Int, size: Int = 0) -> NATSMessage {
    NATSMessage(subject: "\(number)", payload: [UInt8](repeating: 0, count: size))
  }

  @Test("A limited number waits, the newest are dropped and reported once until the handler is free")
  func limit() async throws {
    let (log, gate, overruns) = (MessageLog(), DispatchSemaphore(value: 0), Locked(0))
    let queue = SubscriptionQueue(
      limit: 3, onOverrun: { overruns.withLock { $0 += 1 } },
      handler: { message in
        log.add(message)
        gate.wait()
      })
    queue.receive(message(0))
    try await eventually { log.count == 1 }
    for number in 1...5 { queue.receive(message(number)) }
    #expect(queue.dropped == 2)
    #expect(overruns.withLock { $0 } == 1)

    for _ in 0..<4 { gate.signal() }
    try await eventually { log.count == 4 }
    #expect(log.messages.map(\.subject) == ["0", "1", "2", "3"])

    // The handler may still be about to end: it is free when it takes the next message, which waits there.
    queue.receive(message(6))
    try await eventually { log.count == 5 }
    for number in 7...10 { queue.receive(message(number)) }
    #expect(queue.dropped == 3)
    for _ in 0..<4 { gate.signal() }
    try await eventually { log.count == 8 }
    #expect(log.messages.suffix(3).map(\.subject) == ["7", "8", "9"])
  }

  @Test("Few long messages are as many as the bytes allow")
  func bytes() async throws {
    let (log, gate) = (MessageLog(), DispatchSemaphore(value: 0))
    let queue = SubscriptionQueue(
      limit: 1000, onOverrun: {},
      handler: { message in
        log.add(message)
        gate.wait()
      })
    queue.receive(message(0))
    try await eventually { log.count == 1 }
    let half = SubscriptionQueue.maximumBytes / 2
    for number in 1...3 { queue.receive(message(number, size: half)) }
    #expect(queue.dropped == 1)
    for _ in 0..<3 { gate.signal() }
    try await eventually { log.count == 3 }
    #expect(log.messages.map(\.subject) == ["0", "1", "2"])
  }

  @Test("Thousands of messages keep their order")
  func order() async throws {
    let log = MessageLog()
    let queue = SubscriptionQueue(limit: 10_000, onOverrun: {}, handler: { log.add($0) })
    for number in 0..<10_000 { queue.receive(message(number)) }
    try await eventually { log.count == 10_000 }
    #expect(log.messages.map(\.subject) == (0..<10_000).map { "\($0)" })
    #expect(queue.dropped == 0)
  }

  @Test("After the cancellation nothing is handed out")
  func cancellation() async throws {
    let (log, gate) = (MessageLog(), DispatchSemaphore(value: 0))
    var queue: SubscriptionQueue? = SubscriptionQueue(
      limit: 10, onOverrun: {},
      handler: { message in
        log.add(message)
        gate.wait()
      })
    weak let delivering = queue
    queue?.receive(message(0))
    try await eventually { log.count == 1 }
    queue?.receive(message(1))
    queue?.cancel()
    queue?.receive(message(2))
    for _ in 0..<3 { gate.signal() }
    // It stays in memory as long as it delivers.
    queue = nil
    try await eventually { delivering == nil }
    #expect(log.count == 1)
  }
}
