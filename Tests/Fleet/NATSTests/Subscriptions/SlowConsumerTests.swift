import Dispatch
import FleetLab
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Slow handlers")
  struct SlowConsumerTests {
    @Test("A handler that does not come back loses its own messages only, and this is reported once")
    func slow() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let problems = Locked<[NATSConnectionProblem]>([])
      connection.onProblem { problem in problems.withLock { $0.append(problem) } }
      let (slowLog, fastLog, gate) = (MessageLog(), MessageLog(), DispatchSemaphore(value: 0))
      let slow = try connection.subscribe("flood", pendingLimit: 100) { message in
        slowLog.add(message)
        gate.wait()
      }
      let fast = try connection.subscribe("flood", pendingLimit: 1 << 16) { fastLog.add($0) }
      let echo = try await connection.echo("echo")
      try connection.publish(NATSMessage("flood", "0"))
      try await eventually { slowLog.count == 1 }
      for number in 1..<5_000 { try connection.publish(NATSMessage("flood", "\(number)")) }
      // The other subscription and the requests go on.
      try await eventually { fastLog.count == 5_000 }
      #expect(try await connection.request("echo", [1], timeout: .seconds(60)).payload == [1])
      try await eventually { slow.dropped == 5_000 - 101 }
      #expect(fast.dropped == 0)
      #expect(problems.withLock { $0 } == [.slowConsumer(subject: "flood")])

      for _ in 0..<101 { gate.signal() }
      try await eventually { slowLog.count == 101 }
      #expect(slowLog.texts == (0..<101).map { "\($0)" })
      slow.cancel()
      #expect(slow.dropped == 5_000 - 101)
      for subscription in [fast, echo] { subscription.cancel() }
      await connection.close()
      await servers.stop()
    }
  }
}
