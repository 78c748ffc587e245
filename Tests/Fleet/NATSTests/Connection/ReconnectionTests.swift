import FleetLab
import Foundation
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraNATS

extension RealPrograms {
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
      // The state changes before the handler is called.
      try await eventually { states.withLock { $0 } == [.reconnecting, .connected] }
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

    @Test("A connection that nobody has any more looks for no server")
    func released() async throws {
      // Whoever holds the connection's parts holds its handlers.
      final class Mark: Sendable {
        let isReleased: Locked<Bool>
        init(_ isReleased: Locked<Bool>) { self.isReleased = isReleased }
        deinit { isReleased.withLock { $0 = true } }
      }
      let servers = try await NATSServers.start()
      let isReleased = Locked(false)
      do {
        let connection = try await servers.connect()
        let mark = Mark(isReleased)
        connection.onStateChange { _ in withExtendedLifetime(mark) {} }
        await servers.kill(0)
        try await eventually { connection.state == .reconnecting }
        #expect(!isReleased.withLock { $0 })
      }
      try await eventually { isReleased.withLock { $0 } }
      await servers.stop()
    }

    @Test("After a loss only the servers of the configuration are tried, not those that a server has named")
    func discovered() async throws {
      let servers = try await NATSServers.start(3)
      var configuration = servers.configuration()
      configuration.servers = [servers.addresses[0]]
      let connection = try await NATSConnection.connect(configuration)
      // Once messages go from one server to the other, the first one knows the other's address and tells it.
      configuration.servers = [servers.addresses[1]]
      let other = try await NATSConnection.connect(configuration)
      let echo = try await other.echo("echo")
      try await eventually { (try? await connection.request("echo", [], timeout: .seconds(60))) != nil }
      await servers.kill(0)
      try await eventually { connection.state == .reconnecting }
      let listener = try LoopbackPort.listen(UInt16(servers.addresses[0].port))
      let attempts = Locked(0)
      Thread {
        while case let client = accept(listener, nil, nil), client >= 0 {
          close(client)
          attempts.withLock { $0 += 1 }
        }
        close(listener)
      }.start()
      // The others, which run, would have their turn between two of these.
      try await eventually { attempts.withLock { $0 } >= 4 }
      #expect(connection.state == .reconnecting)
      shutdown(listener, Int32(SHUT_RDWR))
      echo.cancel()
      await other.close()
      await connection.close()
      await servers.stop()
    }

    @Test("A connection whose key is no longer accepted is closed, and says so to each call")
    func refused() async throws {
      let (user, other, folder) = (try LabUser(), try LabUser(), try TemporaryFolder())
      let users = URL(fileURLWithPath: folder.file("users.conf"))
      func accept(_ user: LabUser) throws {
        try Data("authorization { users: [ { nkey: \(user.publicKey) } ] }".utf8).write(to: users)
      }
      try accept(user)
      // The path begins at the folder of the server's configuration.
      let root = String(repeating: "../", count: 32)
      let servers = try await NATSServers.start(configuration: "include \"\(root)\(users.path)\"")
      let connection = try await servers.connect(credentials: user.credentials)
      await servers.kill(0)
      try accept(other)
      try await servers.restart(0)
      try await eventually { connection.state == .closed }
      #expect(throws: NATSError.closed) { try connection.subscribe("a") { _ in } }
      #expect(throws: NATSError.closed) { try connection.publish(NATSMessage("a", "")) }
      await #expect(throws: NATSError.closed) { try await connection.request("a", [], timeout: .seconds(60)) }
      await #expect(throws: NATSError.closed) { try await connection.serverIdentifier() }
      await connection.close()
      await servers.stop()
    }

    @Test("What a server refused to the answers of requests is forgotten once it permits them")
    func permitted() async throws {
      let (user, folder) = (try LabUser(), try TemporaryFolder())
      let users = URL(fileURLWithPath: folder.file("users.conf"))
      func permit(_ permissions: String) throws {
        try Data("authorization { users: [ { nkey: \(user.publicKey), permissions { \(permissions) } } ] }".utf8)
          .write(to: users)
      }
      try permit(#"subscribe { deny: ["lab.inbox.>"] }"#)
      let root = String(repeating: "../", count: 32)
      let servers = try await NATSServers.start(configuration: "include \"\(root)\(users.path)\"")
      let connection = try await servers.connect(credentials: user.credentials)
      let echo = try await connection.echo("echo")
      try await eventually { connection.refusal != nil }
      let refusal = try #require(connection.refusal)
      await #expect(throws: refusal) { try await connection.request("echo", [1], timeout: .seconds(60)) }
      await servers.kill(0)
      try permit(#"subscribe { allow: [">"] }"#)
      try await servers.restart(0)
      try await eventually { connection.refusal == nil && connection.state == .connected }
      #expect(try await connection.request("echo", [2], timeout: .seconds(60)).payload == [2])
      echo.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("A server whose messages could be too long is refused, also by a connection that comes back")
    func announcement() async throws {
      let folder = try TemporaryFolder()
      let limits = URL(fileURLWithPath: folder.file("limits.conf"))
      try Data("max_payload: 8388608".utf8).write(to: limits)
      let root = String(repeating: "../", count: 32)
      let servers = try await NATSServers.start(configuration: "include \"\(root)\(limits.path)\"")
      let connection = try await servers.connect()
      #expect(connection.maximumPayload == 8 << 20)
      await servers.kill(0)
      try Data("max_payload: 8388609".utf8).write(to: limits)
      try await servers.restart(0)
      try await eventually { connection.state == .closed }
      let error = NATSError.excessiveAnnouncement(limit: 8 << 20)
      #expect(connection.closingError == error)
      #expect(throws: error) { try connection.publish(NATSMessage("a", "")) }
      await #expect(throws: error) { try await servers.connect() }
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
