import Foundation
import PassageSocket
import TesseraCore
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Connections by TLS and through a proxy", .timeLimit(.minutes(5)))
  struct TLSTests {
    /// A server with a new certificate, which is its own root.
    private struct SecureServer {
      let controller: Controller
      let certificate: String
      private let folder: TemporaryFolder

      init(names: String = "DNS:localhost,IP:127.0.0.1") async throws {
        folder = try TemporaryFolder()
        let key = folder.file("key.pem")
        certificate = folder.file("certificate.pem")
        let creation = try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/openssl"),
          [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
          ]
        ).finish()
        guard creation.status == 0 else { throw Failure(.internalError, "no certificate: \(creation.errors)") }
        controller = try await .server(["certificate": .string(certificate), "key": .string(key)])
      }
    }

    private static func client(
      _ host: String, _ port: Int, _ environment: [String: String] = [:]
    ) async throws -> Client {
      try await Client("https://\(host):\(port)", query: [("intentToken", "h.p.s")], environment: environment) {
        $0.reconnection = SocketReconnection(maximumAttempts: 0)
      }
    }

    @Test("a server that SSL_CERT_FILE trusts, by name and by address", arguments: ["localhost", "127.0.0.1"])
    func trusted(_ host: String) async throws {
      let server = try await SecureServer()
      let client = try await Self.client(host, server.controller.port, ["SSL_CERT_FILE": server.certificate])
      #expect(await client.connected() != nil)
      let values = try await client.socket.emitAcknowledged(SocketEvent("question", ["ü"]), within: .seconds(60))
      #expect(values == ["ü", "answered"])
      let connect = try #require(await server.controller.lines("connect").first)
      #expect(connect["query"] == "EIO=4&transport=websocket&intentToken=h.p.s")
      try server.controller.order(["emit": "command", "data": ["id": "c-1"]])
      #expect(await client.message()?.event.payload == ["id": "c-1"])
      await client.socket.close()
      #expect(await client.end() == nil)
      #expect(await server.controller.lines("disconnect").count == 1)
    }

    @Test("a certificate that nobody trusts, or that is for another host")
    func untrusted() async throws {
      let server = try await SecureServer()
      let client = try await Self.client("localhost", server.controller.port)
      #expect(await client.end() == .http(.certificateRefused(host: "localhost", .unknownIssuer)))
      let other = try await SecureServer(names: "DNS:example.org")
      let environment = ["SSL_CERT_FILE": other.certificate]
      for host in ["localhost", "127.0.0.1"] {
        let client = try await Self.client(host, other.controller.port, environment)
        #expect(await client.end() == .http(.certificateRefused(host: host, .otherName)))
      }
      #expect(try await server.controller.all("connect").isEmpty)
      #expect(try await other.controller.all("connect").isEmpty)
    }

    @Test("a file without certificates")
    func certificateFile() async throws {
      let client = try await Self.client("localhost", 9, ["SSL_CERT_FILE": "/dev/null"])
      #expect(await client.end() == .http(.certificateFile("/dev/null")))
    }

    @Test("a server without TLS")
    func plain() async throws {
      let server = try await Controller.server()
      let client = try await Self.client("localhost", server.port)
      #expect(await client.end() == .http(.notSecure(host: "localhost", .missing)))
    }

    @Test("a proxy, with and without a password", arguments: [nil, "user:päss wörd"])
    func proxy(_ credentials: String?) async throws {
      let server = try await SecureServer(names: "DNS:socket.example")
      let proxy = try await TunnelProxy(to: server.controller.port, credentials: credentials)
      let user = credentials == nil ? "" : "user:p%C3%A4ss%20w%C3%B6rd@"
      let client = try await Self.client(
        "socket.example", 443,
        ["SSL_CERT_FILE": server.certificate, "https_proxy": "http://\(user)127.0.0.1:\(proxy.port)"])
      #expect(await client.connected() != nil)
      let values = try await client.socket.emitAcknowledged(SocketEvent("question", [1]), within: .seconds(60))
      #expect(values == [1, "answered"])
      #expect(await proxy.tunnels(1) == ["socket.example:443"])
      #expect(await server.controller.lines("connect").first?["host"] == "socket.example")
      await client.socket.close()
    }

    @Test("a proxy that never answers")
    func muteProxy() async throws {
      let proxy = try await Controller.hostile("mute")
      // Enough to connect to the proxy, so that the proxy sees the end.
      let limit = Duration.seconds(2)
      let client = try await Client(
        "https://socket.example", environment: ["https_proxy": "http://127.0.0.1:\(proxy.port)"]
      ) { configuration in
        configuration.timeLimits.connecting = limit
        configuration.reconnection = SocketReconnection(maximumAttempts: 0)
      }
      #expect(await client.end() == .timeLimit(.connecting, limit))
      // The connection was closed.
      #expect(await proxy.lines("end").count == 1)
    }

    @Test("a proxy that refuses, and one that is not there")
    func refusingProxy() async throws {
      let refused = SocketError.http(.proxyRefused(host: "127.0.0.1"))
      for (target, credentials) in [(nil, nil), (9, "user:secret")] as [(Int?, String?)] {
        let proxy = try await TunnelProxy(to: target, credentials: credentials)
        let client = try await Self.client("socket.example", 443, ["https_proxy": proxy.address])
        #expect(await client.end() == refused)
        #expect(await proxy.tunnels(1) == ["socket.example:443"])
      }
      let nothing = try ReservedPort()
      defer { withExtendedLifetime(nothing) {} }
      let client = try await Self.client("socket.example", 443, ["https_proxy": "127.0.0.1:\(nothing.number)"])
      #expect(await client.end() == refused)
      let invalid = try await Self.client("socket.example", 443, ["https_proxy": "socks5://127.0.0.1:1080"])
      #expect(await invalid.end() == .http(.invalidProxy))
    }
  }
}
