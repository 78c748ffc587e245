import Foundation
import TesseraHTTPClient
import TesseraLocales
import TestSupport
import Testing

@testable import ReRune

extension RealPrograms {
  /// Checks over TLS with the real client. A proxy leads every host to one local server.
  @Suite struct NetworkTests {
    private static func strings(
      _ server: TLSServer, _ proxy: TunnelProxy, id: String, cache: TemporaryFolder, timeout: Duration = .seconds(30)
    ) throws -> OverTheAirStrings {
      let strings = OverTheAirStrings()
      let client = HTTPSClient(environment: ["SSL_CERT_FILE": server.certificateFile, "https_proxy": proxy.address])
      strings.setup(
        StringsConfiguration(
          id: try PublishId(id), chain: LocaleChain("de"), cacheFolder: cache.file("cache"), requestTimeout: timeout,
          transport: client))
      return strings
    }

    @Test(.timeLimit(.minutes(20))) func aServerThatStallsFailsAfterTheTimeout() async throws {
      let server = try await TLSServer(names: "DNS:rerune.io")
      let proxy = try await TunnelProxy(to: server.port)
      let strings = try Self.strings(server, proxy, id: "stall", cache: TemporaryFolder(), timeout: .seconds(2))
      let start = ContinuousClock.now
      let result = await strings.checkForUpdates()
      let time = ContinuousClock.now - start
      #expect(result.status == .failed)
      #expect(result.errorMessage?.contains("2 seconds") == true)
      // `requestsHaveTheTimeLimitOfSetup` tests the limit itself. The server is silent for an hour.
      #expect(time >= .seconds(2), "\(time)")
    }

    @Test func aRedirectToAnotherHostDoesNotCarryTheId() async throws {
      let server = try await TLSServer(names: "DNS:rerune.io,DNS:other.example")
      let proxy = try await TunnelProxy(to: server.port)
      let strings = try Self.strings(server, proxy, id: "redirect", cache: TemporaryFolder())
      // The server knows no manifest without an id.
      #expect(await strings.checkForUpdates().errorMessage?.contains("404") == true)
      #expect(Set(await proxy.tunnels(2)) == ["rerune.io:443", "other.example:443"])
      // One request and its redirect for each contract.
      let seen = await server.requests(6)
      #expect(seen.map { $0["headers"]["x-ota-publish-id"].text } == ["redirect", "", "redirect", "", "redirect", ""])
      let hosts = ["rerune.io", "other.example"]
      #expect(seen.map { $0["headers"]["host"].text } == hosts + hosts + hosts)
    }
  }
}
