import Foundation
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraHTTPClient

/// Downloads from a real server over TLS.
@Suite struct HTTPDownloadTests {
  private static func download(
    _ server: TLSServer, sizeLimit: Int = 1 << 20, timeLimit: Duration = .seconds(60)
  ) -> HTTPDownload {
    HTTPDownload(
      sizeLimit: sizeLimit, timeLimit: timeLimit, environment: ["SSL_CERT_FILE": server.certificateFile])
  }

  private static func error(
    _ address: String, _ download: HTTPDownload
  ) async -> HTTPDownloadError? {
    do {
      let bytes = try await download.bytes(from: address)
      Issue.record("\(bytes.count) bytes were downloaded")
      return nil
    } catch {
      return error as? HTTPDownloadError
    }
  }

  @Test func files() async throws {
    let server = try await TLSServer()
    let download = Self.download(server)
    let calls = Locked<[[Int?]]>([])
    let bytes = try await download.bytes(from: server.address("file")) { received, total in
      calls.withLock { $0.append([received, total]) }
    }
    #expect(bytes == Array("content".utf8))
    #expect(calls.withLock { $0.last } == [7, 7])
    #expect(try await download.bytes(from: server.address("file", host: "127.0.0.1")).count == 7)
    #expect(try await download.bytes(from: server.address("agent")) == Array("tessera".utf8))
    #expect(await Self.error(server.address("status/404"), download) == .status(404))
    #expect(await Self.error(server.address("status/503"), download) == .status(503))
    #expect(await Self.error(server.address("truncated"), download) == .interrupted(host: "localhost"))
    #expect(await Self.error(server.address("compressed"), download) == .invalidResponse)
  }

  @Test func redirects() async throws {
    let server = try await TLSServer()
    let download = Self.download(server)
    for path in ["relative", "absolute", "five/4"] {
      #expect(try await download.bytes(from: server.address(path)) == Array("content".utf8))
    }
    #expect(await Self.error(server.address("five/5"), download) == .redirect(.tooMany))
    #expect(await Self.error(server.address("loop"), download) == .redirect(.tooMany))
    #expect(await Self.error(server.address("plain"), download) == .redirect(.notHTTPS))
    #expect(await Self.error(server.address("host"), download) == .redirect(.otherHost("127.0.0.1")))
    #expect(await Self.error(server.address("port"), download) == .redirect(.otherHost("localhost")))
    #expect(await Self.error(server.address("user"), download) == .redirect(.invalid))
    #expect(await Self.error(server.address("nowhere"), download) == .redirect(.invalid))
  }

  @Test(arguments: ["endless", "chunked", "large"])
  func oneGigabyteIsCutAtTheLimit(path: String) async throws {
    let server = try await TLSServer()
    let start = ContinuousClock.now
    #expect(await Self.error(server.address(path), Self.download(server)) == .tooLarge(limit: 1 << 20))
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect(try await Self.download(server, sizeLimit: 7).bytes(from: server.address("file")).count == 7)
    #expect(await Self.error(server.address("file"), Self.download(server, sizeLimit: 6)) == .tooLarge(limit: 6))
  }

  @Test func otherCertificatesAreRefused() async throws {
    let server = try await TLSServer(names: "DNS:localhost")
    let withoutRoot = HTTPDownload(sizeLimit: 1 << 20, environment: [:])
    #expect(await Self.error(server.address("file"), withoutRoot) == .certificateRefused(host: "localhost"))
    let download = Self.download(server)
    #expect(try await download.bytes(from: server.address("file")).count == 7)
    let otherName = server.address("file", host: "127.0.0.1")
    #expect(await Self.error(otherName, download) == .certificateRefused(host: "127.0.0.1"))
    let other = try await TLSServer()
    #expect(await Self.error(other.address("file"), download) == .certificateRefused(host: "localhost"))
    for path in ["/nonexistent", "/dev/null", "/etc/hostname"] {
      let download = HTTPDownload(sizeLimit: 1, environment: ["SSL_CERT_FILE": path])
      #expect(await Self.error(server.address("file"), download) == .certificateFile(path))
    }
  }

  @Test(arguments: ["silent", "stall"])
  func silentServersReachTheTimeLimit(path: String) async throws {
    let server = try await TLSServer()
    let start = ContinuousClock.now
    let download = Self.download(server, timeLimit: .seconds(1))
    #expect(await Self.error(server.address(path), download) == .timeLimit(.seconds(1)))
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  /// The system accepts the connection; no program answers the handshake.
  @Test func aSilentPort() async throws {
    let port = try LoopbackPort.freePair()
    let descriptor = try LoopbackPort.listen(port)
    defer { close(descriptor) }
    let start = ContinuousClock.now
    let download = HTTPDownload(sizeLimit: 1, timeLimit: .seconds(1), environment: [:])
    #expect(await Self.error("https://127.0.0.1:\(port)/", download) == .timeLimit(.seconds(1)))
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func unreachableServers() async throws {
    let download = HTTPDownload(sizeLimit: 1, environment: [:])
    let port = try LoopbackPort.freePair()
    #expect(await Self.error("https://127.0.0.1:\(port)/", download) == .unreachable(host: "127.0.0.1"))
    #expect(await Self.error("https://nothing.invalid/", download) == .unreachable(host: "nothing.invalid"))
  }

  @Test func aCancelledTaskStops() async throws {
    let server = try await TLSServer()
    let download = Self.download(server)
    let task = Task { try await download.bytes(from: server.address("stall")) }
    try await Task.sleep(for: .milliseconds(500))
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test(arguments: [
    ("http://localhost/", HTTPDownloadError.notHTTPS), ("file:///etc/passwd", .notHTTPS), ("list.ml", .notHTTPS),
    ("https://", .invalidAddress), ("https:///list.ml", .invalidAddress), ("", .invalidAddress),
    ("https://user@localhost/", .invalidAddress), ("https://:secret@localhost/", .invalidAddress),
    ("https://localhost/a b", .invalidAddress), ("https://localhost/\r\nHost: x", .invalidAddress),
    ("https://localhost:99999/", .invalidAddress), ("https://localhost:0/", .invalidAddress),
  ])
  func addresses(text: String, expected: HTTPDownloadError) async {
    #expect(await Self.error(text, HTTPDownload(sizeLimit: 1, environment: [:])) == expected)
  }
}
