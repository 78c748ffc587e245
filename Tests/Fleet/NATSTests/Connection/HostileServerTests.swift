import FleetLab
import Foundation
import TesseraNATS
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Servers that stop in the middle")
  struct HostileServerTests {
    /// What the server does after its greeting, or after a login.
    enum Case: String, CaseIterable {
      /// It does not answer the login.
      case unanswered
      /// It sends bytes without end in place of the answer.
      case babbled
      /// It sends the beginning of a piece of TLS.
      case half
      /// It asks for signs of life without end, and does not read.
      case questions
      /// It reads, and says nothing.
      case silent
      /// It ends the first connection, and does not answer later logins.
      case once
    }

    /// Prints its port, `begin` for each connection, and `end` for each that has ended.
    private static let source = #"""
      import os, socket, ssl, sys, threading

      case, certificate, key = sys.argv[1:4]
      listener = socket.create_server(("127.0.0.1", 0))
      listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
      print(listener.getsockname()[1], flush=True)
      information = b'INFO {"server_id":"x","version":"2.9.10","headers":true,"max_payload":1048576%s}\r\n'


      def serve(plain, number):
          try:
              client = plain
              plain.sendall(information % (b',"tls_required":true' if certificate else b""))
              if certificate:
                  context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                  context.load_cert_chain(certificate, key)
                  client = context.wrap_socket(plain, server_side=True)
              received = b""
              while b"PING\r\n" not in received:
                  received += client.recv(65536) or exit()
              if case == "babbled":
                  while True:
                      client.sendall(b"A")
              if case != "unanswered" and (case != "once" or number == 0):
                  client.sendall(b"PONG\r\n")
              if case == "half":
                  os.write(client.fileno(), b"\x17\x03\x03\x40\x00abc")
              if case == "once" and number == 0:
                  exit()
              while case == "questions":
                  client.sendall(b"PING\r\n" * 1000 + b"PONG\r\nMSG x 1 0\r\n\r\n")
              while client.recv(65536):
                  pass
          except (OSError, SystemExit):
              pass
          print("end", flush=True)
          plain.close()


      for number in range(1000):
          client = listener.accept()[0]
          print("begin", flush=True)
          threading.Thread(target=serve, args=[client, number], daemon=True).start()
      """#

    private final class Server {
      let program: RunningProgram
      let configuration: NATSConfiguration

      init(_ this: Case, isEncrypted: Bool) async throws {
        let certificate = isEncrypted ? try await LabCertificate() : nil
        program = try RunningProgram(
          URL(fileURLWithPath: "/usr/bin/python3"),
          ["-c", HostileServerTests.source, this.rawValue, certificate?.file ?? "", certificate?.keyFile ?? ""])
        _ = await program.wait { $0.output.contains("\n") }
        let port = try #require(Int(program.output.split(separator: "\n").first ?? ""))
        var configuration = NATSConfiguration(
          servers: [NATSServerAddress(host: "localhost", port: port, isTLS: isEncrypted)], name: "lab",
          certificateAuthorities: certificate?.file, connectTimeout: .seconds(60))
        (configuration.lifeLimit, configuration.writeDeadline) = (.seconds(600), .seconds(600))
        self.configuration = configuration
        self.certificate = certificate
      }

      private let certificate: LabCertificate?

      deinit { program.send(signal: SIGKILL) }

      var begins: Int { program.output.components(separatedBy: "begin\n").count - 1 }
      var ends: Int { program.output.components(separatedBy: "end\n").count - 1 }
    }

    /// Whether an attempt to connect is under way in this process.
    private static var isConnecting: Bool {
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return threads.contains {
        (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "NATS limit\n"
      }
    }

    @Test(
      "An attempt whose login is not answered is ended", arguments: [Case.unanswered, .babbled], [false, true])
    func attempt(_ this: Case, isEncrypted: Bool) async throws {
      let server = try await Server(this, isEncrypted: isEncrypted)
      var configuration = server.configuration
      configuration.connectTimeout = .seconds(2)
      await #expect(throws: NATSError.unreachable) { try await NATSConnection.connect(configuration) }
      try await eventually { server.ends == 1 && !Self.isConnecting }
    }

    @Test("A lost connection makes one attempt at a time")
    func attempts() async throws {
      let server = try await Server(.once, isEncrypted: false)
      var configuration = server.configuration
      configuration.connectTimeout = .seconds(1)
      let connection = try await NATSConnection.connect(configuration)
      try await eventually {
        // In this order: both grow.
        let ends = server.ends
        #expect(server.begins <= ends + 2)
        return ends >= 4
      }
      #expect(connection.state == .reconnecting)
      await connection.close()
      try await eventually { !Self.isConnecting }
    }

    @Test("Half a piece of TLS holds up neither the end of the connection nor the loss", arguments: [true, false])
    func half(isClosed: Bool) async throws {
      let server = try await Server(.half, isEncrypted: true)
      var configuration = server.configuration
      if isClosed { configuration.writeDeadline = .seconds(3) } else { configuration.lifeLimit = .seconds(3) }
      let connection = try await NATSConnection.connect(configuration)
      if isClosed { await connection.close() }
      try await eventually { server.ends >= 1 }
      await connection.close()
    }

    @Test("A server that asks without end and does not read is left", arguments: [false, true])
    func questions(isEncrypted: Bool) async throws {
      let server = try await Server(.questions, isEncrypted: isEncrypted)
      var configuration = server.configuration
      // With TLS, libnats waits during a write.
      if isEncrypted { configuration.writeDeadline = .seconds(3) }
      let connection = try await NATSConnection.connect(configuration)
      try await eventually { server.ends >= 1 }
      #expect(connection.closingError == .closed)
      await connection.close()
    }

    @Test("A server that says nothing is left")
    func silent() async throws {
      let server = try await Server(.silent, isEncrypted: false)
      var configuration = server.configuration
      configuration.lifeLimit = .seconds(3)
      let connection = try await NATSConnection.connect(configuration)
      try await eventually { server.ends >= 1 }
      await connection.close()
    }
  }
}
