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
        try await servers.connect(credentials: .seed(file: "/proc/nonexistent", publicKey: user.publicKey))
      }
      await #expect(throws: NATSError.credentialsUnusable) {
        try await servers.connect(credentials: .credentials(file: "/proc/nonexistent"))
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

      let refusal = await #expect(throws: NATSError.self) {
        try await NATSConnection.connect(servers.configuration(authorities: other.file))
      }
      // X509_V_ERR_… of OpenSSL for an unknown issuer, of which the lab's certificate has several.
      guard case .certificateRefused(18...21)? = refusal else {
        Issue.record("The error was \(String(describing: refusal)).")
        return
      }
      await #expect(throws: NATSError.credentialsUnusable) {
        try await NATSConnection.connect(servers.configuration(authorities: "/proc/nonexistent"))
      }
      var configuration = servers.configuration()
      configuration.servers = configuration.servers.map {
        NATSServerAddress(host: "127.0.0.1", port: $0.port, isTLS: true)
      }
      // X509_V_ERR_IP_ADDRESS_MISMATCH.
      await #expect(throws: NATSError.certificateRefused(64)) { try await NATSConnection.connect(configuration) }
      await servers.stop()
    }

    @Test("TLS is never left out")
    func tlsRequired() async throws {
      let plain = try await NATSServers.start()
      var configuration = plain.configuration()
      configuration.servers = configuration.servers.map {
        NATSServerAddress(host: $0.host, port: $0.port, isTLS: true)
      }
      await #expect(throws: NATSError.tlsMissing) { try await NATSConnection.connect(configuration) }
      await plain.stop()

      let encrypted = try await NATSServers.start(certificate: LabCertificate())
      configuration.servers = encrypted.addresses.map { NATSServerAddress(host: $0.host, port: $0.port) }
      await #expect(throws: NATSError.tlsRequired) { try await NATSConnection.connect(configuration) }
      await encrypted.stop()
    }

    /// A server that was started without its file sends no text to sign (NATS documentation, Connecting with NKeys).
    @Test("A server that asks for no key is named so")
    func keyNotWanted() async throws {
      let (servers, user) = (try await NATSServers.start(), try LabUser())
      await #expect(throws: NATSError.keyNotWanted) { try await servers.connect(credentials: user.credentials) }
      await servers.stop()
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
