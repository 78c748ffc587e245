import PassageSocket
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Connections that are lost", .timeLimit(.minutes(5)))
  struct ReconnectionTests {
    @Test("a server that comes back gets a new connection each time")
    func restart() async throws {
      let port = try ReservedPort()
      defer { withExtendedLifetime(port) {} }
      var server = try await Controller.server(port: port.number)
      let client = try await Client("http://127.0.0.1:\(port.number)") { configuration in
        configuration.reconnection = SocketReconnection(
          maximumAttempts: 600, firstWait: .milliseconds(100), longestWait: .milliseconds(100))
      }
      var identifiers: Set<String> = []
      for number in 1...4 {
        let session = try #require(await client.connected())
        #expect(session.number == number)
        identifiers.insert(session.identifier)
        try await client.socket.emit(SocketEvent("appStateUpdate", [.integer(Int64(number))]))
        #expect(await server.lines("event").map { $0["data"] } == [[.integer(Int64(number))]])
        #expect(try await server.all("connect").count == 1)
        await server.kill()
        if number < 4 { server = try await Controller.server(port: port.number) }
      }
      #expect(identifiers.count == 4)
      await client.socket.close()
    }

    @Test("five attempts after 2, 4, 8, 10 and 10 seconds, then the reason of the last one")
    func gone() async throws {
      let port = try ReservedPort()
      defer { withExtendedLifetime(port) {} }
      let server = try await Controller.server(port: port.number)
      let clock = ManualClock()
      let client = try await Client(server, clock: clock) { $0.reconnection = SocketReconnection() }
      #expect(await client.connected() != nil)
      // The client notices the end of the connection before the port is closed.
      await server.kill()
      clock.pass()
      let events = await client.read { $0.isEnd }
      let unreachable = SocketError.http(.unreachable(host: "127.0.0.1"))
      #expect(events.last == .ended(.gaveUp(attempts: 5, last: unreachable)))
      #expect(events.compactMap(\.lost?.attempt) == [1, 2, 3, 4, 5])
      #expect(events.compactMap(\.lost?.wait) == [2, 4, 8, 10, 10].map { .seconds($0) })
      #expect(events.compactMap(\.lost?.error) == [.interrupted] + [SocketError](repeating: unreachable, count: 4))
      #expect(events.count == 6)
      #expect(clock.waits == [2, 4, 8, 10, 10].map { .seconds($0) })
      #expect(
        await emissionError { try await client.socket.emit(SocketEvent("modalExit")) }
          == .ended(.gaveUp(attempts: 5, last: unreachable)))
    }

    @Test("a server that never was there")
    func never() async throws {
      let port = try ReservedPort()
      defer { withExtendedLifetime(port) {} }
      let client = try await Client("http://127.0.0.1:\(port.number)")
      let events = await client.read { $0.isEnd }
      #expect(events.count == 6)
      #expect(events.last == .ended(.gaveUp(attempts: 5, last: .http(.unreachable(host: "127.0.0.1")))))
    }

    @Test("a connection starts the count again")
    func count() async throws {
      // Every connection of this server ends as soon as the client has joined.
      let server = try await Controller.hostile("end")
      let clock = ManualClock(passes: true)
      let client = try await Client(server, clock: clock) { $0.reconnection = SocketReconnection() }
      for number in 1...8 {
        let session = try #require(await client.connected())
        #expect(session.number == number)
      }
      await client.socket.close()
      #expect(clock.waits.count >= 7)
      #expect(clock.waits.allSatisfy { $0 == .seconds(2) })
    }

    @Test("events wait for the next connection and are sent once, in their order")
    func waiting() async throws {
      let port = try ReservedPort()
      defer { withExtendedLifetime(port) {} }
      var server = try await Controller.server(port: port.number)
      let client = try await Client("http://127.0.0.1:\(port.number)") { configuration in
        configuration.reconnection = SocketReconnection(
          maximumAttempts: 600, firstWait: .milliseconds(100), longestWait: .milliseconds(100))
      }
      #expect(await client.connected() != nil)
      await server.kill()
      _ = await client.read { $0.lost != nil }

      let hasBegun = (0..<5).map { _ in AsyncStream.makeStream(of: Void.self) }
      var sending: [Task<SocketEmissionError?, Never>] = []
      for number in 0..<5 {
        sending.append(
          Task {
            // The actor gets the events in this order.
            if number > 0 { for await _ in hasBegun[number - 1].stream { break } }
            async let result = emissionError {
              try await client.socket.emit(SocketEvent("commandResult", [.integer(Int64(number))]))
            }
            while await client.socket.unsentCount <= number { await Task.yield() }
            hasBegun[number].continuation.yield()
            return await result
          })
      }
      for await _ in hasBegun[4].stream { break }
      // These are not sent: one does not wait, one waits not long enough, one is cancelled.
      #expect(
        await emissionError { try await client.socket.emit(SocketEvent("modalExit"), whileDisconnected: .fails) }
          == .notConnected)
      #expect(
        await emissionError { try await client.socket.emit(SocketEvent("modalExit"), within: .milliseconds(10)) }
          == .timeLimit(.milliseconds(10)))
      let cancelled = Task { try await client.socket.emit(SocketEvent("modalExit")) }
      while await client.socket.unsentCount < 6 { await Task.yield() }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }

      server = try await Controller.server(port: port.number)
      for task in sending { #expect(await task.value == nil) }
      _ = try await client.socket.emitAcknowledged(SocketEvent("question", ["last"]), within: .seconds(60))
      let lines = await server.lines("event", 6)
      #expect(lines.map { $0["event"] } == [JSONValue](repeating: "commandResult", count: 5) + ["question"])
      #expect(lines.map { $0["data"] } == (0..<5).map { [.integer($0)] } + [["last"]])
      await client.socket.close()
    }

    @Test("an event that was sent is not sent again when the connection is lost before its acknowledgement")
    func interrupted() async throws {
      let port = try ReservedPort()
      defer { withExtendedLifetime(port) {} }
      var server = try await Controller.server(port: port.number)
      let client = try await Client("http://127.0.0.1:\(port.number)") { configuration in
        configuration.reconnection = SocketReconnection(
          maximumAttempts: 600, firstWait: .milliseconds(100), longestWait: .milliseconds(100))
      }
      #expect(await client.connected() != nil)
      let sending = Task {
        await emissionError {
          _ = try await client.socket.emitAcknowledged(SocketEvent("unanswered", [1]), within: .seconds(600))
        }
      }
      #expect(await server.events(1) == ["unanswered"])
      await server.kill()
      #expect(await sending.value == .interrupted)
      server = try await Controller.server(port: port.number)
      #expect(await client.connected()?.number == 2)
      _ = try await client.socket.emitAcknowledged(SocketEvent("question", [2]), within: .seconds(60))
      #expect(await server.events(1) == ["question"])
      await client.socket.close()
    }

    @Test("too many events that wait are refused")
    func full() async throws {
      let server = try await Controller.hostile("mute")
      let client = try await Client(server) { configuration in
        configuration.limits.unsentEvents = 3
        configuration.limits.unsentBytes = 1_000
        configuration.timeLimits.upgrading = .seconds(3_600)
      }
      let long = SocketEvent("commandResult", [.string(String(repeating: "x", count: 1_000))])
      #expect(await emissionError { try await client.socket.emit(long) } == .full)
      let waiting = (0..<3).map { _ in
        Task { await emissionError { try await client.socket.emit(SocketEvent("modalExit")) } }
      }
      while await client.socket.unsentCount < 3 { await Task.yield() }
      #expect(await emissionError { try await client.socket.emit(SocketEvent("modalExit")) } == .full)
      await client.socket.close()
      for task in waiting { #expect(await task.value == .ended(nil)) }
    }

    @Test("a wait is ended by close")
    func closing() async throws {
      let port = try ReservedPort()
      defer { withExtendedLifetime(port) {} }
      let client = try await Client("http://127.0.0.1:\(port.number)") { configuration in
        configuration.reconnection = SocketReconnection(firstWait: .seconds(3_600), longestWait: .seconds(3_600))
      }
      _ = await client.read { $0.lost != nil }
      await client.socket.close()
      #expect(await client.read { $0.isEnd } == [.ended(nil)])
    }
  }
}
