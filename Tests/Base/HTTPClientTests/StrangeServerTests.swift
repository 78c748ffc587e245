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

    /// https at the port of http (encode/httpx #646), a server that demands a certificate, one for HTTP/2 alone, and one
    /// without TLS 1.2.
    @Test(
      arguments: [
        ([], .missing), (["-Verify", "1", "-verify_return_error"], .clientCertificate),
        (["-alpn", "h2"], .otherProtocol),
        (["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], .nothingInCommon),
      ] as [([String], HTTPError.TLSProblem)])
    func aServerWithoutSuitableTLSIsNamed(options: [String], problem: HTTPError.TLSProblem) async throws {
      let folder = try TemporaryFolder()
      let (key, certificate) = (folder.file("key.pem"), folder.file("certificate.pem"))
      let openssl = URL(fileURLWithPath: "/usr/bin/openssl")
      _ = try await RunningProgram(
        openssl,
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
          "/CN=test", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
      ).finish()
      let server =
        if problem == .missing {
          try RunningProgram(
            URL(fileURLWithPath: "/usr/bin/python3"), ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
        } else {
          try RunningProgram(
            openssl, ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"] + options)
        }
      defer { server.send(signal: SIGKILL) }
      // "Serving HTTP on 127.0.0.1 port 1234 (…" and "ACCEPT 127.0.0.1:1234".
      let line = try Regex("(?:ACCEPT 127.0.0.1:|port )([0-9]+)[^0-9]")
      #expect(await server.wait(within: 60) { $0.output.contains(line) || !$0.isRunning })
      let port = try #require(server.output.firstMatch(of: line)?.output[1].substring)
      let request = HTTPRequest(try HTTPSAddress("https://localhost:\(port)/"), sizeLimit: 1 << 20)
      await #expect(throws: HTTPError.notSecure(host: "localhost", problem)) {
        try await HTTPSClient(environment: ["SSL_CERT_FILE": certificate]).response(to: request)
      }
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

/// What OpenSSL and servers say, as a user reads it.
@Suite struct ServerAnswerTests {
  /// Clocks of kiosks without a battery are behind (pikvm/pikvm #812).
  @Test(
    arguments: [
      (9, .notYetValid, "clock"), (10, .expired, "clock"), (62, .otherName, "name"), (1, .otherName, "name"),
      (18, .unknownIssuer, "SSL_CERT_FILE"), (20, .unknownIssuer, "intermediate"), (66, .weak, "2048"),
      (26, .unknown, "SSL_CERT_FILE"),
    ] as [(Int, HTTPError.CertificateProblem, String)])
  func theReasonOfARefusedCertificateIsNamed(number: Int, problem: HTTPError.CertificateProblem, remedy: String) {
    #expect(HTTPError.CertificateProblem(number) == problem)
    let failure = HTTPError.certificateRefused(host: "a.example", problem).failure
    #expect(failure.cause.contains("a.example") && failure.remedy?.contains(remedy) == true)
  }

  /// RFC 9110, 10.2.3. A time counts from the server's own one, since the clock of this machine may be wrong.
  @Test(
    arguments: [
      (["Retry-After: 120"], 120), (["retry-after:0"], 0), (["Retry-After: -1"], nil), (["Retry-After: soon"], nil),
      ([], nil),
      (["Date: Fri, 31 Dec 1999 23:59:00 GMT", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"], 59),
      (["Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"], 0), (["Retry-After: 99999999999999999"], 366 * 86_400),
    ] as [([String], Int?)])
  func theTimeWithoutRequestsIsRead(lines: [String], seconds: Int?) throws {
    var head = try #require(ResponseHead(statusLine: "HTTP/1.1 429 Too Many Requests"))
    for line in lines { head.add(line) }
    #expect(head.retryAfter == seconds.map { .seconds($0) })
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
