import Foundation
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraHTTPClient

extension RealPrograms {
  /// Servers that violate HTTP, or end a connection where no other one does.
  @Suite struct StrangeServerTests {
    private static func result(
      _ path: String, of server: TLSServer, _ client: HTTPSClient? = nil, posts: Bool = false
    ) async throws -> Result<HTTPResponse, HTTPError> {
      var request = HTTPRequest(try HTTPSAddress(server.address(path)), sizeLimit: 1 << 20)
      if posts { request.method = .post([1], type: "text/plain") }
      let client = client ?? HTTPSClient(environment: ["SSL_CERT_FILE": server.certificateFile])
      do {
        return .success(try await client.response(to: request))
      } catch let error as HTTPError {
        return .failure(error)
      }
    }

    @Test(arguments: ["99999", "-1", "099", "000", "20", "+20", "2e2", "2000", "abc", "%00", ""])
    func aStrangeStatusIsAnError(status: String) async throws {
      let server = try await TLSServer()
      #expect(try await Self.result("status-line/\(status)", of: server) == .failure(.invalidResponse))
    }

    @Test(arguments: [200, 299, 399, 404, 599, 999])
    func aStatusOfThreeDigitsIsPassedOn(status: Int) async throws {
      let server = try await TLSServer()
      #expect(try await Self.result("status-line/\(status)", of: server) == .success(HTTPResponse(status: status)))
    }

    @Test func headsBeforeTheResponseAreSkipped() async throws {
      let server = try await TLSServer()
      let expected = HTTPResponse(status: 200, body: Array("content".utf8), entityTag: "\"v1\"")
      #expect(try await Self.result("interim", of: server) == .success(expected))
    }

    @Test(arguments: ["long-head", "long-line", "endless-head", "control-character"])
    func aStrangeHeadIsAnError(path: String) async throws {
      let server = try await TLSServer()
      #expect(try await Self.result(path, of: server) == .failure(.invalidResponse))
    }

    /// `Int` reads the first one.
    @Test(arguments: ["+7", "-7", "7x", "0x7", "99999999999999999999"])
    func aStrangeLengthIsAnError(length: String) async throws {
      let server = try await TLSServer()
      let result = try await Self.result("length/\(length)", of: server)
      #expect(throws: HTTPError.self) { try result.get() }
    }

    @Test func aBodyWithoutALengthEndsWithTheConnection() async throws {
      let server = try await TLSServer()
      let expected = HTTPResponse(status: 200, body: Array("content".utf8))
      #expect(try await Self.result("without-length", of: server) == .success(expected))
    }

    /// Somebody on the way can end the connection, but not in the name of the server.
    @Test(arguments: ["truncated", "cut-without-length", "cut-without-length/identity", "cut-chunk"])
    func aBodyThatEndsTooEarlyIsAnError(path: String) async throws {
      let server = try await TLSServer()
      #expect(try await Self.result(path, of: server) == .failure(.interrupted(host: "localhost")))
    }

    /// The body of a redirect is not waited for.
    @Test func aRedirectMayHaveALongBody() async throws {
      let server = try await TLSServer()
      let response = try await Self.result("redirect-with-body", of: server).get()
      #expect(response.body == Array("content".utf8))
    }

    /// libcurl repeats a request when a kept connection ends without a response.
    @Test func aPostIsSentOnce() async throws {
      let server = try await TLSServer()
      let client = HTTPSClient(environment: ["SSL_CERT_FILE": server.certificateFile])
      #expect(try await Self.result("kept", of: server, client).get().status == 200)
      let result = try await Self.result("dropped", of: server, client, posts: true)
      #expect(result == .failure(.interrupted(host: "localhost")))
      #expect(await server.requests(2).map { $0["method"].text } == ["GET", "POST"])
    }

    /// A child process, perhaps one that shows the pages of others, does not get the connection.
    @Test func connectionsAreNotInherited() async throws {
      let server = try await TLSServer()
      let task = Task { try await Self.result("stall", of: server) }
      _ = await server.requests(1)
      let flags = (3..<4096).compactMap { descriptor -> Int32? in
        var peer = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &peer) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &size) }
        }
        guard status == 0, peer.sin_family == sa_family_t(AF_INET), Int(UInt16(bigEndian: peer.sin_port)) == server.port
        else { return nil }
        return fcntl(Int32(descriptor), F_GETFD)
      }
      #expect(flags == [FD_CLOEXEC])
      task.cancel()
      _ = await task.result
    }
  }
}

/// The library behind the client.
@Suite struct CurlLibraryTests {
  /// The second one is another library.
  @Test(arguments: ["libtessera-no-such-library.so.1", "libm.so.6"])
  func aMissingLibraryIsAnError(name: String) {
    #expect(CurlLibrary.error(name: name, minimum: 0) == .missingLibrary)
  }

  @Test func anOldLibraryIsAnError() throws {
    let error = try #require(CurlLibrary.error(name: CurlLibrary.name, minimum: 0xFF_00_00))
    guard case .outdatedLibrary(let version) = error else {
      Issue.record("The error was \(error).")
      return
    }
    #expect(version.split(separator: ".").count == 3)
    #expect(error.failure.remedy?.contains("apt install") == true)
  }

  @Test func theLibraryOfThisMachineIsUsable() {
    #expect(CurlLibrary.error(name: CurlLibrary.name, minimum: 0x07_55_00) == nil)
    #expect(throws: Never.self) { try CurlLibrary.load() }
  }

  /// libcurl must find the host that the program has found.
  @Test(
    arguments: [
      ("https://texts.example", "https://texts.example:443/"),
      ("HTTPS://Texts.Example:8443?a=/b#c", "https://texts.example:8443/?a=/b"),
      ("https://texts.example/a/../b/./c?d#e", "https://texts.example:443/a/../b/./c?d"),
      ("https://[::1]:8443/a", "https://[::1]:8443/a"),
      ("https://127.0.0.1/a?b=c%20d", "https://127.0.0.1:443/a?b=c%20d"),
      ("https://te%78ts.example/", nil), ("https://texts.example;a/", nil),
    ] as [(String, String?)])
  func addresses(text: String, expected: String?) {
    // Foundation refuses some of the strange ones itself.
    #expect((try? HTTPSAddress(text))?.normalized == expected)
  }

  @Test(
    arguments: [
      ("texts.example", "texts.example"), ("::1", "[::1]"), ("[::1]", "[::1]"), ("fe80::1%25eth0", "[fe80::1%25eth0]"),
      ("", nil), ("a/b", nil), ("a@b", nil), ("a\\b", nil), ("a b", nil), ("a%41", nil), ("a#b", nil), ("[a]b", nil),
    ] as [(String, String?)])
  func authorities(host: String, expected: String?) { #expect(HTTPSAddress.authority(host) == expected) }
}
