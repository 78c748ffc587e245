import FleetLab
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraNATS

extension RealPrograms {
  @Suite("Requests")
  struct RequestTests {
    @Test("A request gets the answer of whoever listens")
    func answer() async throws {
      let servers = try await NATSServers.start()
      let (asking, answering) = (try await servers.connect("asking"), try await servers.connect("answering"))
      let subscription = try answering.subscribe("question.*") { message in
        let answer = NATSMessage(
          subject: message.reply ?? "", headers: [("Seen", message.headers["Sent"] ?? "")],
          payload: message.payload + [9])
        try? answering.publish(answer)
      }
      try await answering.flush(within: .seconds(60))
      let answer = try await asking.request("question.a", [1, 2], headers: [("Sent", "yes")], timeout: .seconds(60))
      #expect(answer.payload == [1, 2, 9])
      #expect(answer.headers["Seen"] == "yes")
      #expect(answer.subject.hasPrefix("lab.inbox.asking."))
      #expect(asking.requests.count == 0)
      subscription.cancel()
      await asking.close()
      await answering.close()
      await servers.stop()
    }

    @Test("Where nobody listens, a request ends at once")
    func noResponders() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      await #expect(throws: NATSError.noResponders) {
        try await connection.request("nobody", [1], timeout: .seconds(600))
      }
      #expect(try await connection.requestMany("nobody", [1], within: .seconds(600)).isEmpty)
      #expect(connection.requests.count == 0)
      await connection.close()
      await servers.stop()
    }

    @Test("A request without an answer ends after its time, and a late answer is dropped")
    func timeout() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let log = MessageLog()
      let silent = try connection.subscribe("silent") { log.add($0) }
      await #expect(throws: NATSError.timeout) {
        try await connection.request("silent", [1], timeout: .milliseconds(50))
      }
      #expect(connection.requests.count == 0)
      try await eventually { log.count == 1 }
      let echo = try await connection.echo("echo")
      try connection.respond(to: log.messages[0], [7])
      #expect(try await connection.request("echo", [8], timeout: .seconds(60)).payload == [8])
      silent.cancel()
      echo.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("A cancelled request ends at once")
    func cancellation() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let log = MessageLog()
      let silent = try connection.subscribe("silent") { log.add($0) }
      let request = Task { try await connection.request("silent", [1], timeout: .seconds(600)) }
      let many = Task { try await connection.requestMany("silent", [1], within: .seconds(600)) }
      try await eventually { log.count == 2 }
      request.cancel()
      many.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      await #expect(throws: CancellationError.self) { try await many.value }
      #expect(connection.requests.count == 0)

      let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await connection.request("silent", [1], timeout: .seconds(600))
      }
      await #expect(throws: CancellationError.self) { try await late.value }
      silent.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("The end of the connection ends its requests")
    func closing() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let log = MessageLog()
      let silent = try connection.subscribe("silent") { log.add($0) }
      let request = Task { try await connection.request("silent", [1], timeout: .seconds(600)) }
      try await eventually { log.count == 1 }
      await connection.close()
      await #expect(throws: NATSError.closed) { try await request.value }
      silent.cancel()
      await servers.stop()
    }

    @Test("Ten thousand requests, 64 at a time, each get their own answer, and leave nothing behind")
    func many() async throws {
      let servers = try await NATSServers.start()
      let (asking, answering) = (try await servers.connect("asking"), try await servers.connect("answering"))
      let echo = try await answering.echo("echo")
      let next = Locked(0)
      let right = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<64 {
          group.addTask {
            var right = 0
            while true {
              let number = next.withLock { next in
                next += 1
                return next
              }
              guard number <= 10_000 else { return right }
              let payload = Array("\(number)".utf8)
              if try await asking.request("echo", payload, timeout: .seconds(120)).payload == payload { right += 1 }
            }
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(right == 10_000)
      #expect(asking.requests.count == 0)
      #expect(echo.dropped == 0)
      echo.cancel()
      await asking.close()
      await answering.close()
      await servers.stop()
    }

    @Test("A request to all gathers every answer, but not without limit")
    func gathering() async throws {
      let servers = try await NATSServers.start()
      let (asking, answering) = (try await servers.connect("asking"), try await servers.connect("answering"))
      // Four of them alone do not reach the limit, which ends the wait before its time.
      let subscriptions = try (0..<5).map { number in
        try answering.subscribe("all") { message in
          for _ in 0..<1_000 { try? answering.respond(to: message, [UInt8(number)]) }
        }
      }
      try await answering.flush(within: .seconds(60))
      let answers = try await asking.requestMany("all", [], within: .seconds(600))
      #expect(answers.count == 4_096)
      #expect(Set(answers.map(\.payload)) == Set((0..<5).map { [UInt8($0)] }))
      #expect(asking.requests.count == 0)
      for subscription in subscriptions { subscription.cancel() }
      await asking.close()
      await answering.close()
      await servers.stop()
    }
  }
}
