import Foundation
import TestSupport
import Testing

@testable import TesseraHTTPClient

extension RealPrograms {
  /// Requests through a proxy, which the environment names.
  @Suite struct ProxyTests {
    private static func client(_ server: TLSServer, _ environment: [String: String]) -> HTTPSClient {
      HTTPSClient(environment: environment.merging(["SSL_CERT_FILE": server.certificateFile]) { $1 })
    }

    private static func bytes(_ address: String, _ client: HTTPSClient) async throws -> [UInt8] {
      try await client.body(of: HTTPRequest(HTTPSAddress(address), sizeLimit: 1 << 20, timeLimit: .seconds(30)))
    }

    private static func error(_ address: String, _ client: HTTPSClient) async -> HTTPError? {
      do {
        _ = try await bytes(address, client)
        Issue.record("There was a response.")
        return nil
      } catch {
        return error as? HTTPError
      }
    }

    /// The proxy leads to the local server, so the names need not exist.
    @Test(arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    func tunnels(variable: String) async throws {
      let server = try await TLSServer(names: "DNS:texts.example")
      let proxy = try await TunnelProxy(to: server.port)
      let client = Self.client(server, [variable: proxy.address])
      #expect(try await Self.bytes("https://texts.example/file", client) == Array("content".utf8))
      #expect(await proxy.tunnels(1) == ["texts.example:443"])
      // TLS goes through the tunnel as it is: the proxy cannot stand in for a host.
      #expect(
        await Self.error("https://other.example:8443/file", client)
          == .certificateRefused(host: "other.example", .otherName))
      #expect(await proxy.tunnels(2) == ["texts.example:443", "other.example:8443"])
    }

    @Test func credentials() async throws {
      let server = try await TLSServer(names: "DNS:texts.example")
      let proxy = try await TunnelProxy(to: server.port, credentials: "us%65r:p@%41 s:s")
      let right = Self.client(server, ["https_proxy": "http://us%2565r:p%40%2541%20s%3As@127.0.0.1:\(proxy.port)"])
      #expect(try await Self.bytes("https://texts.example/file", right).count == 7)
      for address in ["http://user:other@127.0.0.1:\(proxy.port)", proxy.address] {
        let wrong = Self.client(server, ["https_proxy": address])
        #expect(await Self.error("https://texts.example/file", wrong) == .proxyRefused(host: "127.0.0.1"))
      }
      // The credentials are for the proxy.
      #expect(await server.requests(1).map { $0["headers"]["proxy-authorization"].isPresent } == [false])
    }

    @Test func refusals() async throws {
      let server = try await TLSServer()
      let proxy = try await TunnelProxy(to: nil)
      let refused = Self.client(server, ["https_proxy": proxy.address])
      #expect(await Self.error(server.address("file"), refused) == .proxyRefused(host: "127.0.0.1"))
      #expect(await proxy.tunnels(1) == ["localhost:\(server.port)"])
      let unused = try ReservedPort()
      defer { withExtendedLifetime(unused) {} }
      let nobody = Self.client(server, ["https_proxy": "127.0.0.1:\(unused.number)"])
      #expect(await Self.error(server.address("file"), nobody) == .proxyRefused(host: "127.0.0.1"))
      #expect(await server.requests(0).isEmpty)
    }

    @Test(arguments: [
      "socks5://127.0.0.1:1080", "https://proxy.example", "http://", "http://proxy.example:99999", "a b",
      "http://us%00er:word@127.0.0.1:1", "http://user:wo%00rd@127.0.0.1:1",
    ])
    func invalidProxies(address: String) async throws {
      let server = try await TLSServer()
      #expect(await Self.error(server.address("file"), Self.client(server, ["https_proxy": address])) == .invalidProxy)
      // A host that is reached without it does not need it.
      let client = Self.client(server, ["https_proxy": address, "no_proxy": "localhost"])
      #expect(try await Self.bytes(server.address("file"), client).count == 7)
    }

    private static let hasIPv6 = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.isEmpty == false

    @Test(.enabled(if: hasIPv6, "This machine has no IPv6."))
    func anAddressOfIPv6() async throws {
      let server = try await TLSServer(names: "DNS:texts.example")
      let proxy = try await TunnelProxy(to: server.port, isIPv6: true)
      let client = Self.client(server, ["https_proxy": proxy.address])
      #expect(try await Self.bytes("https://texts.example/file", client) == Array("content".utf8))
      // The name of a server is an address of IPv6, too.
      #expect(await Self.error("https://[2001:db8::1]:8443/file", client) != nil)
      #expect(await proxy.tunnels(2) == ["texts.example:443", "[2001:db8::1]:8443"])
    }

    /// libcurl would read it if nothing were set.
    @Test func theEnvironmentOfTheProcessDoesNotCount() async throws {
      let server = try await TLSServer(names: "DNS:localhost,DNS:texts.example")
      let proxy = try await TunnelProxy(to: server.port)
      let unused = try ReservedPort()
      defer { withExtendedLifetime(unused) {} }
      // The environment of this process belongs to all tests.
      await #expect(processExitsWith: .success) {
        [
          port = unused.number as Int, roots = server.certificateFile as String,
          direct = server.address("file") as String, tunnel = proxy.address as String
        ] in
        setenv("https_proxy", "http://127.0.0.1:\(port)", 1)
        setenv("no_proxy", "texts.example", 1)
        for (address, environment) in [
          (direct, ["SSL_CERT_FILE": roots]),
          ("https://texts.example/file", ["SSL_CERT_FILE": roots, "https_proxy": tunnel]),
        ] {
          let request = HTTPRequest(try HTTPSAddress(address), sizeLimit: 7)
          #expect(try await HTTPSClient(environment: environment).body(of: request).count == 7)
        }
      }
      #expect(await proxy.tunnels(1) == ["texts.example:443"])
      #expect(await server.requests(2).count == 2)
    }

    @Test func exceptionsAreReachedDirectly() async throws {
      let server = try await TLSServer()
      let proxy = try await TunnelProxy(to: nil)
      let client = Self.client(server, ["https_proxy": proxy.address, "no_proxy": "localhost"])
      #expect(try await Self.bytes(server.address("file"), client).count == 7)
      #expect(await proxy.tunnels(0).isEmpty)
      #expect(await Self.error(server.address("file", host: "127.0.0.1"), client) == .proxyRefused(host: "127.0.0.1"))
    }

    @Test(arguments: [
      ("", "texts.example", true), ("*", "texts.example", false), ("texts.example", "texts.example", false),
      ("TEXTS.example", "texts.EXAMPLE", false), ("example", "texts.example", false),
      (".example", "texts.example", false),
      ("ample", "texts.example", true), ("exts.example", "texts.example", true), ("texts.example", "example", true),
      ("a.example, example", "texts.example", false), ("a.example b.example", "b.example", false),
      ("texts.example:443", "texts.example", false), ("texts.example:8443", "texts.example", true),
      ("127.0.0.1", "127.0.0.1", false), ("127.0.0.1", "127.0.0.2", true), ("::1", "[::1]", false),
      ("[::1]", "[::1]", false), ("[::1]:443", "[::1]", false), ("[::1]:8443", "[::1]", true),
      (",", "texts.example", true),
      // Final dots.
      ("texts.example.", "texts.example", false), ("texts.example", "texts.example.", false),
      (".example.", "texts.example.", false), (".", "texts.example", true), (".", "texts.example.", true),
      // Networks.
      ("10.0.0.0/8", "10.255.1.2", false), ("10.0.0.0/8", "11.0.0.1", true), ("10.1.2.3/8", "10.9.9.9", false),
      ("192.168.4.0/22", "192.168.7.255", false), ("192.168.4.0/22", "192.168.8.0", true),
      ("10.0.0.1/32", "10.0.0.1", false), ("10.0.0.1/32", "10.0.0.2", true), ("0.0.0.0/0", "10.0.0.1", false),
      ("0.0.0.0/0", "[::1]", true), ("0.0.0.0/0", "texts.example", true), ("10.0.0.0/33", "10.0.0.0", true),
      ("10.0.0.0/", "10.0.0.0", true), ("10.0.0.0/-1", "10.0.0.0", true), ("10.0.0.0/8/8", "10.0.0.0", true),
      ("10.0.0.0/8:443", "10.0.0.1", false), ("10.0.0.0/8:8443", "10.0.0.1", true), ("10/8", "10.0.0.1", true),
      ("2001:db8::/32", "[2001:db8:1::1]", false), ("2001:db8::/32", "[2001:db9::1]", true),
      ("[2001:db8::]/33", "[2001:db8:7fff::1]", false), ("[2001:db8::]/33", "[2001:db8:8000::1]", true),
      ("2001:db8::/129", "[2001:db8::]", true), ("::/0", "[2001:db8::1]", false), ("::/0", "10.0.0.1", true),
      ("texts.example/8", "texts.example", true), ("a.example, 10.0.0.0/8", "10.0.0.1", false),
      // Addresses have several spellings, and no subdomains.
      ("0:0:0:0:0:0:0:1", "[::1]", false), ("0.0.1", "127.0.0.1", true),
    ])
    func exceptions(list: String, host: String, usesProxy: Bool) throws {
      for name in ["no_proxy", "NO_PROXY"] {
        let settings = ProxySettings(environment: ["https_proxy": "proxy.example", name: list])
        let proxy = try settings.proxy(for: HTTPSAddress("https://\(host)/"))
        #expect((proxy != nil) == usesProxy, "\(name)=\(list), \(host)")
      }
    }

    @Test func theFirstVariableThatIsNotEmptyCounts() throws {
      let address = try HTTPSAddress("https://texts.example/")
      func host(_ environment: [String: String]) throws -> String? {
        try ProxySettings(environment: environment).proxy(for: address).map { "\($0.host):\($0.port)" }
      }
      #expect(try host([:]) == nil)
      #expect(try host(["http_proxy": "a"]) == nil)
      #expect(try host(["https_proxy": "a", "HTTPS_PROXY": "b", "all_proxy": "c"]) == "a:1080")
      #expect(try host(["https_proxy": "", "HTTPS_PROXY": "b:3128", "all_proxy": "c"]) == "b:3128")
      #expect(try host(["ALL_PROXY": "http://d:8080/"]) == "d:8080")
    }
  }
}
