import FleetLab
import TesseraThreads
import Testing

@testable import TesseraNATS

extension ServerTests {
  @Suite("Lost connections")
  struct ReconnectionTests {
    @Test("After the server's death requests fail, nothing is kept, and later everything works again")
    func death() async throws {
      let user = try LabUser()
      let servers = try await NATSServers.start(
        configuration: "authorization { users: [ { nkey: \(user.publicKey) } ] }")
      let connection = try await servers.connect(credentials: user.credentials)
      let states = Locked<[NATSConnectionState]>([])
      connection.onStateChange { state in states.withLock { $0.append(state) } }
      let log = MessageLog()
      let subscription = try connection.subscribe("silent") { log.add($0) }
      let echo = try await connection.echo("echo")
      let request = Task { try await connection.request("silent", [1], timeout: .seconds(600)) }
      try await eventually { log.count == 1 }

      await servers.kill(0)
      await #expect(throws: NATSError.disconnected) { try await request.value }
      #expect(connection.state == .reconnecting)
      for _ in 0..<10 {
        #expect(throws: NATSError.disconnected) { try connection.publish(NATSMessage("silent", "kept")) }
      }
      await #expect(throws: NATSError.disconnected) {
        try await connection.request("echo", [1], timeout: .seconds(600))
      }
      let later = try connection.subscribe("later") { log.add($0) }

      try await servers.restart(0)
      try await eventually { connection.state == .connected }
      #expect(states.withLock { $0 } == [.reconnecting, .connected])
      #expect(try await connection.request("echo", [2], timeout: .seconds(60)).payload == [2])
      try connection.publish(NATSMessage("silent", "again"))
      try connection.publish(NATSMessage("later", "new"))
      try await eventually { log.count == 3 }
      // What was refused while there was no connection did not come later.
      // Subscriptions have no order among them.
      #expect(log.texts.sorted() == ["\u{1}", "again", "new"])
      for subscription in [subscription, echo, later] { subscription.cancel() }
      await connection.close()
      await servers.stop()
    }

    @Test("A connection that is closed while the server is away stays closed")
    func closedWhileAway() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      await servers.kill(0)
      try await eventually { connection.state == .reconnecting }
      await connection.close()
      #expect(connection.state == .closed)
      #expect(throws: NATSError.closed) { try connection.publish(NATSMessage("a", "")) }
    }

    @Test("Connections with keys all come back, also where a signature cannot be sent")
    func keys() async throws {
      let user = try LabUser()
      let servers = try await NATSServers.start(
        configuration: "authorization { users: [ { nkey: \(user.publicKey) } ] }")
      var connections: [NATSConnection] = []
      for _ in 0..<50 { connections.append(try await servers.connect(credentials: user.credentials)) }
      for _ in 0..<3 {
        await servers.kill(0)
        try await eventually { connections.allSatisfy { $0.state == .reconnecting } }
        try await servers.restart(0)
        try await eventually { connections.allSatisfy { $0.state != .reconnecting } }
        #expect(connections.allSatisfy { $0.state == .connected })
      }
      for connection in connections { await connection.close() }
      await servers.stop()
    }
  }
}
