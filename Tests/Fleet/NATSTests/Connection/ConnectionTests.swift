import FleetLab
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraNATS

extension RealPrograms {
  @Suite("Connecting")
  struct ConnectionTests {
    @Test("A connection exchanges messages, and ends with its subscriptions")
    func connection() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let states = Locked<[NATSConnectionState]>([])
      connection.onStateChange { state in states.withLock { $0.append(state) } }
      #expect(connection.state == .connected)
      #expect(connection.maximumPayload == 1 << 20)

      let log = MessageLog()
      let subscription = try connection.subscribe("greeting.*") { log.add($0) }
      try connection.publish(NATSMessage("greeting.one", "hello"))
      try await eventually { log.count == 1 }
      #expect(log.messages == [NATSMessage("greeting.one", "hello")])

      await connection.close()
      await connection.close()
      #expect(connection.state == .closed)
      #expect(states.withLock { $0 } == [.closed])
      #expect(throws: NATSError.closed) { try connection.publish(NATSMessage("greeting.one", "again")) }
      #expect(throws: NATSError.closed) { try connection.subscribe("greeting") { _ in } }
      await #expect(throws: NATSError.closed) { try await connection.request("greeting", [], timeout: .seconds(60)) }
      await #expect(throws: NATSError.closed) { try await connection.flush(within: .seconds(60)) }
      subscription.cancel()
      await servers.stop()
    }

    @Test("Where no server listens, there is none")
    func unreachable() async throws {
      let port = try ReservedPort()
      let configuration = NATSConfiguration(
        servers: [NATSServerAddress(host: "127.0.0.1", port: port.number)], name: "lab")
      await #expect(throws: NATSError.unreachable) { try await NATSConnection.connect(configuration) }
      await #expect(throws: NATSError.unreachable) {
        try await NATSConnection.connect(NATSConfiguration(servers: [], name: "lab"))
      }
    }

    @Test("Of several servers, one that answers is enough")
    func several() async throws {
      let port = try ReservedPort()
      let servers = try await NATSServers.start()
      var configuration = servers.configuration()
      configuration.servers.insert(NATSServerAddress(host: "127.0.0.1", port: port.number), at: 0)
      let connection = try await NATSConnection.connect(configuration)
      try await connection.flush(within: .seconds(60))
      await connection.close()
      await servers.stop()
    }

    @Test("A seed opens the server that lists its public key, every time")
    func seed() async throws {
      let (user, stranger) = (try LabUser(), try LabUser())
      let servers = try await NATSServers.start(
        configuration: "authorization { users: [ { nkey: \(user.publicKey) } ] }")
      // One login of 256 has a signature that libnats does not send.
      for _ in 0..<300 {
        let connection = try await servers.connect(credentials: user.credentials)
        await connection.close()
      }
      await #expect(throws: NATSError.refused) { try await servers.connect(credentials: stranger.credentials) }
      await #expect(throws: NATSError.refused) { try await servers.connect() }
      await #expect(throws: NATSError.credentialsUnusable) {
        try await servers.connect(credentials: .seed(file: "/nonexistent", publicKey: user.publicKey))
      }
      await #expect(throws: NATSError.credentialsUnusable) {
        try await servers.connect(credentials: .credentials(file: "/nonexistent"))
      }
      await servers.stop()
    }

    @Test("A user with a JWT logs in, if the server knows who issued it")
    func token() async throws {
      let (own, other) = (try LabOperator(), try LabOperator())
      let servers = try await NATSServers.start(configuration: own.configuration)
      for number in 0..<20 {
        let connection = try await servers.connect(credentials: own.user(number))
        try await connection.flush(within: .seconds(60))
        await connection.close()
      }
      await #expect(throws: NATSError.refused) { try await servers.connect(credentials: other.user(0)) }
      await servers.stop()
    }

    @Test("TLS needs the right certificate authorities and the right name")
    func tls() async throws {
      let (certificate, other) = (try await LabCertificate(names: "DNS:localhost"), try await LabCertificate())
      let servers = try await NATSServers.start(certificate: certificate)
      let connection = try await servers.connect()
      let echo = try await connection.echo("echo")
      #expect(try await connection.request("echo", [1], timeout: .seconds(60)).payload == [1])
      await connection.close()
      echo.cancel()

      await #expect(throws: NATSError.tls) {
        try await NATSConnection.connect(servers.configuration(authorities: other.file))
      }
      await #expect(throws: NATSError.credentialsUnusable) {
        try await NATSConnection.connect(servers.configuration(authorities: "/nonexistent"))
      }
      var configuration = servers.configuration()
      configuration.servers = configuration.servers.map {
        NATSServerAddress(host: "127.0.0.1", port: $0.port, isTLS: true)
      }
      await #expect(throws: NATSError.tls) { try await NATSConnection.connect(configuration) }
      await servers.stop()
    }

    @Test("TLS is never left out")
    func tlsRequired() async throws {
      let plain = try await NATSServers.start()
      var configuration = plain.configuration()
      configuration.servers = configuration.servers.map {
        NATSServerAddress(host: $0.host, port: $0.port, isTLS: true)
      }
      await #expect(throws: NATSError.tls) { try await NATSConnection.connect(configuration) }
      await plain.stop()

      let encrypted = try await NATSServers.start(certificate: LabCertificate())
      configuration.servers = encrypted.addresses.map { NATSServerAddress(host: $0.host, port: $0.port) }
      await #expect(throws: NATSError.tls) { try await NATSConnection.connect(configuration) }
      await encrypted.stop()
    }

    @Test("What a user may not use is reported")
    func permissions() async throws {
      let user = try LabUser()
      let servers = try await NATSServers.start(
        configuration: """
          authorization { users: [ { nkey: \(user.publicKey), permissions {
            publish { allow: ["allowed"] }, subscribe { allow: ["lab.inbox.>"] } } } ] }
          """)
      let connection = try await servers.connect(credentials: user.credentials)
      let problems = Locked<[NATSConnectionProblem]>([])
      connection.onProblem { problem in problems.withLock { $0.append(problem) } }
      try connection.publish(NATSMessage("forbidden", ""))
      try await eventually { problems.withLock { $0 }.count == 1 }
      #expect(
        problems.withLock { $0 } == [
          .notPermitted(PermissionViolation(#"Permissions Violation for Publish to "forbidden""#))
        ])
      let subscription = try connection.subscribe("forbidden") { _ in }
      try await eventually { problems.withLock { $0 }.count == 2 }
      #expect(
        problems.withLock { $0 }.last
          == .notPermitted(PermissionViolation(#"Permissions Violation for Subscription to "forbidden""#)))
      await #expect(throws: NATSError.noResponders) {
        try await connection.request("allowed", [], timeout: .seconds(60))
      }
      subscription.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("A prefix of the inbox with forbidden characters is refused", arguments: ["", "a b", "a.*", "a\r\n"])
    func inbox(prefix: String) async throws {
      let configuration = NATSConfiguration(servers: [], name: "lab", inboxPrefix: prefix)
      await #expect(throws: NATSError.invalidSubject) { try await NATSConnection.connect(configuration) }
    }
  }
}
