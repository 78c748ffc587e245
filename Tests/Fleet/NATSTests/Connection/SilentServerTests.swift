import FleetLab
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraNATS

extension RealPrograms {
  @Suite("Servers that do not read")
  struct SilentServerTests {
    private static let message = NATSMessage(subject: "a", payload: [UInt8](repeating: 1, count: 1_000_000))

    @Test("While a server does not read, no task is held up, and what waits is limited")
    func pending() async throws {
      let (silent, servers) = (try SilentServer(), try await NATSServers.start())
      // Longer than the rest takes. If tasks were held up, they would be for this time.
      let connection = try await NATSConnection.connect(silent.configuration(writeDeadline: .seconds(120)))
      let other = try await servers.connect()
      let echo = try await other.echo("echo")
      // The kernel takes a few megabytes.
      for _ in 0..<40 { try connection.publish(Self.message) }
      let ended = Locked(0)
      let waiting = (0..<16).map { _ in
        Task {
          defer { ended.withLock { $0 += 1 } }
          try await connection.publishAndWait(Self.message)
        }
      }
      try await eventually { connection.thread.waiting.count >= 16 + 20 }

      // More tasks than threads.
      for number in 0..<200 {
        let payload = Array("\(number)".utf8)
        #expect(try await other.request("echo", payload, timeout: .seconds(60)).payload == payload)
      }
      let tasks = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<200 { group.addTask { 1 } }
        return await group.reduce(0, +)
      }
      #expect(tasks == 200)
      #expect(ended.withLock { $0 } == 0)

      // A request gives back its place.
      let count = connection.thread.waiting.count
      await #expect(throws: NATSError.timeout) {
        try await connection.request("a", Self.message.payload, timeout: .milliseconds(10))
      }
      let request = Task { try await connection.requestMany("a", Self.message.payload, within: .seconds(600)) }
      try await eventually { connection.thread.waiting.count == count + 1 }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      #expect(connection.thread.waiting.count == count)
      await #expect(throws: NATSError.timeout) { try await connection.flush(within: .milliseconds(10)) }

      // A full queue refuses.
      let subscription = try connection.subscribe("b") { _ in }
      var added = 0
      let error = #expect(throws: NATSError.self) {
        while added < 100 {
          try connection.publish(Self.message)
          added += 1
        }
      }
      #expect(error == .congested && added > 0)
      #expect(connection.thread.waiting.bytes <= 64 << 20)
      await #expect(throws: NATSError.congested) { try await connection.publishAndWait(Self.message) }
      await #expect(throws: NATSError.congested) {
        try await connection.request("a", Self.message.payload, timeout: .seconds(600))
      }
      #expect(connection.requests.count == 0)
      subscription.cancel()

      silent.disconnect()
      for task in waiting { await #expect(throws: NATSError.disconnected) { try await task.value } }
      try await eventually { connection.thread.waiting.count == 0 }
      #expect(connection.thread.waiting.bytes == 0)
      echo.cancel()
      await connection.close()
      await other.close()
      await servers.stop()
    }

    @Test("A server that does not read is given up after its time, and each caller is told")
    func deadline() async throws {
      let silent = try SilentServer()
      let connection = try await NATSConnection.connect(silent.configuration(writeDeadline: .seconds(2)))
      let subscription = try connection.subscribe("b") { _ in }
      // It is written, and waits for its answer.
      let request = Task { try await connection.request("a", [], timeout: .seconds(600)) }
      try await eventually { connection.requests.count == 1 && connection.thread.waiting.count == 0 }
      let errors = await withTaskGroup(of: NATSError?.self) { group in
        for _ in 0..<40 {
          group.addTask {
            do throws(NATSError) {
              try await connection.publishAndWait(Self.message)
              return nil
            } catch {
              return error
            }
          }
        }
        return await group.reduce(into: [NATSError]()) { errors, error in if let error { errors.append(error) } }
      }
      // The kernel takes a few megabytes. The one whose time was over and those after it get the same error.
      #expect(errors.count > 20 && errors.allSatisfy { $0 == .disconnected })
      await #expect(throws: NATSError.disconnected) { try await request.value }
      try await eventually { connection.state == .reconnecting }
      #expect(connection.thread.waiting.count == 0)
      #expect(connection.requests.count == 0)
      subscription.cancel()
      await connection.close()
    }

    @Test("The end of a connection waits for a server that has not read everything yet")
    func closing() async throws {
      let busy = try SilentServer(isBusy: true)
      let connection = try await NATSConnection.connect(busy.configuration(writeDeadline: .seconds(60)))
      // More than its kernel takes without it, and less than both kernels together take.
      let message = NATSMessage(subject: "a", payload: [UInt8](repeating: 1, count: 400_000))
      try await connection.publishAndWait(message)
      let closed = Task { await connection.close() }
      // libnats alone waits half a second. If it has closed the socket, the kernel throws away what is left.
      try await Task.sleep(for: .seconds(1))
      let received = try await busy.readOn()
      #expect(received.count { $0 == 1 } == message.payload.count)
      await closed.value
    }

    @Test("Messages are sent in the order of the calls, and before the connection is closed")
    func order() async throws {
      let servers = try await NATSServers.start()
      let (sender, receiver) = (try await servers.connect("sender"), try await servers.connect("receiver"))
      let log = MessageLog()
      let subscription = try receiver.subscribe("a", pendingLimit: 1 << 16) { log.add($0) }
      try await receiver.flush(within: .seconds(60))
      for number in 0..<5_000 {
        if number % 1_000 == 500 {
          try await sender.publishAndWait(NATSMessage("a", "\(number)"))
        } else {
          try sender.publish(NATSMessage("a", "\(number)"))
        }
      }
      await sender.close()
      try await eventually { log.count == 5_000 }
      #expect(log.texts == (0..<5_000).map { "\($0)" })
      subscription.cancel()
      await receiver.close()
      await servers.stop()
    }
  }
}
