import Foundation
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraHTTPClient

extension RealPrograms {
  /// Requests to a real server over TLS.
  @Suite struct HTTPSClientTests {
    private static func client(_ server: TLSServer) -> HTTPSClient {
      HTTPSClient(environment: ["SSL_CERT_FILE": server.certificateFile])
    }

    private static func request(
      _ address: String, sizeLimit: Int = 1 << 20, timeLimit: Duration = .seconds(60)
    ) throws(HTTPError) -> HTTPRequest {
      HTTPRequest(try HTTPSAddress(address), sizeLimit: sizeLimit, timeLimit: timeLimit)
    }

    private static func bytes(_ address: String, _ client: HTTPSClient) async throws -> [UInt8] {
      try await client.body(of: request(address))
    }

    private static func error(
      _ address: String, _ client: HTTPSClient, sizeLimit: Int = 1 << 20, timeLimit: Duration = .seconds(60)
    ) async -> HTTPError? {
      do {
        let bytes = try await client.body(of: request(address, sizeLimit: sizeLimit, timeLimit: timeLimit))
        Issue.record("\(bytes.count) bytes were received")
        return nil
      } catch {
        return error as? HTTPError
      }
    }

    private static func error(_ request: HTTPRequest, _ client: HTTPSClient) async -> HTTPError? {
      do {
        let response = try await client.response(to: request)
        Issue.record("The status was \(response.status).")
        return nil
      } catch {
        return error as? HTTPError
      }
    }

    @Test func files() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      let calls = Locked<[[Int?]]>([])
      var request = try Self.request(server.address("file"))
      request.progress = { received, total in calls.withLock { $0.append([received, total]) } }
      #expect(try await client.body(of: request) == Array("content".utf8))
      #expect(calls.withLock { $0.last } == [7, 7])
      #expect(try await Self.bytes(server.address("file", host: "127.0.0.1"), client).count == 7)
      #expect(try await Self.bytes(server.address("agent"), client) == Array("tessera".utf8))
      #expect(await Self.error(server.address("status/404"), client) == .status(404))
      #expect(await Self.error(server.address("status/503"), client) == .status(503))
      #expect(await Self.error(server.address("truncated"), client) == .interrupted(host: "localhost"))
      #expect(await Self.error(server.address("compressed"), client) == .invalidResponse)
    }

    @Test func redirects() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      for path in ["relative", "absolute", "five/4"] {
        #expect(try await Self.bytes(server.address(path), client) == Array("content".utf8))
      }
      #expect(await Self.error(server.address("five/5"), client) == .redirect(.tooMany))
      #expect(await Self.error(server.address("loop"), client) == .redirect(.tooMany))
      #expect(await Self.error(server.address("plain"), client) == .redirect(.notHTTPS))
      #expect(await Self.error(server.address("host"), client) == .redirect(.otherHost("127.0.0.1")))
      #expect(await Self.error(server.address("port"), client) == .redirect(.otherHost("localhost")))
      #expect(await Self.error(server.address("user"), client) == .redirect(.invalid))
      #expect(await Self.error(server.address("nowhere"), client) == .redirect(.invalid))
    }

    @Test func redirectsThatAreNotWantedAreErrors() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      var request = try Self.request(server.address("relative"))
      request.redirects = .none
      // The query, which may be secret, is left out.
      #expect(await Self.error(request, client) == .redirect(.refused(to: server.address("file"))))
      request.redirects = .anyHost
      request.address = try HTTPSAddress(server.address("plain"))
      #expect(await Self.error(request, client) == .redirect(.notHTTPS))
      #expect(await server.requests(2).count == 2)
    }

    /// The caller's headers and entity tag are for the host that it chose.
    @Test func headersFollowARedirectOnTheSameHostOnly() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      var request = try Self.request(server.address("to-tagged"))
      request.headers = [("X-Secret", "s3cret")]
      request.entityTag = "\"v1\""
      request.redirects = .anyHost
      #expect(try await client.response(to: request).status == 304)
      request.address = try HTTPSAddress(server.address("host-tagged"))
      let other = try await client.response(to: request)
      #expect(other.status == 200)
      #expect(other.body == Array("content".utf8))
      let seen = await server.requests(4)
      #expect(seen.map(\.["path"].text) == ["/to-tagged", "/tagged", "/host-tagged", "/tagged"])
      #expect(seen.map { $0["headers"]["x-secret"].text } == ["s3cret", "s3cret", "s3cret", ""])
      #expect(seen.map { $0["headers"]["if-none-match"].text } == ["\"v1\"", "\"v1\"", "\"v1\"", ""])
      #expect(seen.map { $0["headers"]["host"].text.hasPrefix("localhost:") } == [true, true, true, false])
    }

    @Test func entityTags() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      var request = try Self.request(server.address("tagged"))
      let first = try await client.response(to: request)
      #expect(
        first
          == HTTPResponse(status: 200, body: Array("content".utf8), entityTag: "\"v1\"", mediaType: "application/json"))
      request.entityTag = first.entityTag
      let second = try await client.response(to: request)
      #expect(second.isNotModified && second.body.isEmpty && second.entityTag == "\"v1\"")
      request.entityTag = "\"v0\""
      #expect(try await client.response(to: request).status == 200)
      #expect(await server.requests(3).map { $0["headers"]["if-none-match"].text } == ["", "\"v1\"", "\"v0\""])
    }

    /// A line break would begin another header.
    @Test func headersWithLineBreaksAreNotSent() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      var request = try Self.request(server.address("file"))
      request.entityTag = "\"v1\"\r\nX-Other: 1"
      #expect(await Self.error(request, client) == .invalidResponse)
      request.entityTag = nil
      request.headers = [("X-One", "a\r\nX-Other: 1")]
      #expect(await Self.error(request, client) == .invalidResponse)
      #expect(await server.requests(0).isEmpty)
    }

    @Test func bodiesAreSentWithTheirType() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      var request = try Self.request(server.address("echo"))
      request.method = .post(Array(#"{"a": "ü"}"#.utf8), type: "application/json")
      let response = try await client.response(to: request)
      #expect(response == HTTPResponse(status: 200, body: Array(#"{"a": "ü"}"#.utf8), mediaType: "application/json"))
      let seen = await server.requests(1)
      #expect(seen.map { $0["method"].text } == ["POST"])
      #expect(seen.first?["headers"]["content-type"].text == "application/json")
      #expect(seen.first?["body"].text == #"{"a": "ü"}"#)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aPostFollowsNoRedirect(status: Int) async throws {
      let server = try await TLSServer()
      for redirects in [HTTPRequest.Redirects.none, .sameHost, .anyHost] {
        var request = try Self.request(server.address("moved/\(status)"))
        request.method = .post([1], type: "text/plain")
        request.redirects = redirects
        #expect(await Self.error(request, Self.client(server)) == .redirect(.refused(to: server.address("echo"))))
      }
      #expect(await server.requests(3).map { $0["path"].text } == Array(repeating: "/moved/\(status)", count: 3))
    }

    @Test func theBodyOfAnErrorIsCut() async throws {
      let server = try await TLSServer()
      // The limit of the request does not apply: the status is what counts.
      let response = try await Self.client(server).response(
        to: Self.request(server.address("long-error"), sizeLimit: 1))
      #expect(response.status == 500)
      #expect(response.body.count == 64 << 10)
    }

    @Test func connectionsAreKept() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      for _ in 0..<3 { #expect(try await Self.bytes(server.address("kept"), client).count == 7) }
      #expect(await server.requests(3).map { $0["connection"].number } == [1, 1, 1])
      #expect(try await Self.bytes(server.address("kept"), Self.client(server)).count == 7)
      #expect(await server.requests(4).map { $0["connection"].number } == [1, 1, 1, 2])
    }

    @Test func connectionsWithoutUseAreClosed() async throws {
      try CurlLibrary.load()
      let sessions = CurlSessions(idleTime: .milliseconds(1))
      weak var session: CurlSession?
      do {
        let taken = try #require(sessions.take())
        session = taken
        sessions.give(taken)
      }
      try await eventually { session == nil }
      #expect(session == nil)
      withExtendedLifetime(sessions) {}
    }

    /// The caller has gone on, and may no longer expect reports.
    @Test func progressEndsWithTheRequest() throws {
      let calls = Locked(0)
      let isWanted = Locked(true)
      var request = try Self.request("https://texts.example/")
      request.progress = { _, _ in calls.withLock { $0 += 1 } }
      let receiver = ResponseReceiver(request) { isWanted.withLock { $0 } }
      func pass(_ text: String, to receive: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { receive($0) }
      }
      #expect(pass("HTTP/1.1 200 OK\r\n", to: receiver.receiveLine))
      #expect(pass("\r\n", to: receiver.receiveLine))
      #expect(pass("piece", to: receiver.receiveBody))
      isWanted.withLock { $0 = false }
      #expect(!pass("piece", to: receiver.receiveBody))
      #expect(calls.withLock { $0 } == 1)
    }

    @Test(arguments: [("1", true), ("yes", true), ("0", false), ("", false)])
    func offline(value: String, isOffline: Bool) async throws {
      let server = try await TLSServer()
      let client = HTTPSClient(
        environment: ["SSL_CERT_FILE": server.certificateFile, "TESSERA_OFFLINE": value])
      if isOffline {
        #expect(await Self.error(server.address("file"), client) == .offline)
        #expect(await server.requests(0).isEmpty)
      } else {
        #expect(try await Self.bytes(server.address("file"), client).count == 7)
      }
    }

    @Test(arguments: ["endless", "chunked", "large"])
    func oneGigabyteIsCutAtTheLimit(path: String) async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      let start = ContinuousClock.now
      #expect(await Self.error(server.address(path), client) == .tooLarge(limit: 1 << 20))
      #expect(ContinuousClock.now - start < .seconds(30))
      #expect(try await client.body(of: Self.request(server.address("file"), sizeLimit: 7)).count == 7)
      #expect(await Self.error(server.address("file"), client, sizeLimit: 6) == .tooLarge(limit: 6))
      // The status says all where nobody wants the body.
      var request = try Self.request(server.address(path))
      request.ignoresBody = true
      #expect(try await client.response(to: request).status == 200)
    }

    @Test func otherCertificatesAreRefused() async throws {
      let server = try await TLSServer(names: "DNS:localhost")
      let withoutRoot = HTTPSClient(environment: [:])
      #expect(
        await Self.error(server.address("file"), withoutRoot) == .certificateRefused(host: "localhost", .unknownIssuer))
      let client = Self.client(server)
      #expect(try await Self.bytes(server.address("file"), client).count == 7)
      let otherName = server.address("file", host: "127.0.0.1")
      #expect(await Self.error(otherName, client) == .certificateRefused(host: "127.0.0.1", .otherName))
      let other = try await TLSServer()
      #expect(
        await Self.error(other.address("file"), client) == .certificateRefused(host: "localhost", .unknownIssuer))
      for path in ["/proc/nonexistent", "/dev/null", "/etc/hostname"] {
        let client = HTTPSClient(environment: ["SSL_CERT_FILE": path])
        #expect(await Self.error(server.address("file"), client) == .certificateFile(path))
      }
    }

    /// The file is not read again for a client that exists.
    @Test func theCertificateFileIsReadOnce() async throws {
      let server = try await TLSServer()
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("roots-\(UUID()).pem")
      try FileManager.default.copyItem(atPath: server.certificateFile, toPath: file.path)
      let client = HTTPSClient(environment: ["SSL_CERT_FILE": file.path])
      #expect(try await Self.bytes(server.address("file"), client).count == 7)
      try FileManager.default.removeItem(at: file)
      #expect(try await Self.bytes(server.address("file"), client).count == 7)
      let other = HTTPSClient(environment: ["SSL_CERT_FILE": file.path])
      #expect(await Self.error(server.address("file"), other) == .certificateFile(file.path))
    }

    @Test(arguments: ["silent", "stall"])
    func silentServersReachTheTimeLimit(path: String) async throws {
      let server = try await TLSServer()
      let start = ContinuousClock.now
      let limit = Duration.seconds(1)
      #expect(await Self.error(server.address(path), Self.client(server), timeLimit: limit) == .timeLimit(limit))
      #expect(ContinuousClock.now - start < .seconds(50))
    }

    /// The system accepts the connection; no program answers the handshake.
    @Test func aSilentPort() async throws {
      let reserved = try ReservedPort()
      let port = UInt16(reserved.number)
      let descriptor = try LoopbackPort.listen(port)
      defer {
        close(descriptor)
        withExtendedLifetime(reserved) {}
      }
      let start = ContinuousClock.now
      let limit = Duration.seconds(1)
      let client = HTTPSClient(environment: [:])
      #expect(await Self.error("https://127.0.0.1:\(port)/", client, timeLimit: limit) == .timeLimit(limit))
      #expect(ContinuousClock.now - start < .seconds(50))
    }

    @Test func unreachableServers() async throws {
      let client = HTTPSClient(environment: [:])
      let port = try ReservedPort()
      defer { withExtendedLifetime(port) {} }
      #expect(await Self.error("https://127.0.0.1:\(port.number)/", client) == .unreachable(host: "127.0.0.1"))
      #expect(await Self.error("https://nothing.invalid/", client) == .unreachable(host: "nothing.invalid"))
    }

    @Test func aCancelledTaskStops() async throws {
      let server = try await TLSServer()
      let client = Self.client(server)
      let task = Task { try await Self.bytes(server.address("stall"), client) }
      _ = await server.requests(1)
      let start = ContinuousClock.now
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(ContinuousClock.now - start < .seconds(50))
    }

    @Test(arguments: [
      ("http://localhost/", HTTPError.notHTTPS), ("file:///etc/passwd", .notHTTPS), ("list.ml", .notHTTPS),
      ("https://", .invalidAddress), ("https:///list.ml", .invalidAddress), ("", .invalidAddress),
      ("https://user@localhost/", .invalidAddress), ("https://:secret@localhost/", .invalidAddress),
      ("https://localhost/a b", .invalidAddress), ("https://localhost/\r\nHost: x", .invalidAddress),
      ("https://localhost:99999/", .invalidAddress), ("https://localhost:0/", .invalidAddress),
    ])
    func addresses(text: String, expected: HTTPError) async {
      #expect(await Self.error(text, HTTPSClient(environment: [:])) == expected)
    }
  }
}
