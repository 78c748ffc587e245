import TesseraCore
import TesseraNATS
import Testing

@Suite("Addresses of NATS servers")
struct ServerAddressTests {
  @Test(
    "Scheme, host and port are read",
    arguments: [
      ("nats://one.example", "nats://one.example:4222"), ("one.example", "nats://one.example:4222"),
      ("tls://one.example:443", "tls://one.example:443"), ("10.0.0.1:1", "nats://10.0.0.1:1"),
      ("nats://[2001:db8::1]:4333", "nats://[2001:db8::1]:4333"), ("tls://[::1]", "tls://[::1]:4222"),
      ("nats://one.example:65535/", "nats://one.example:65535"),
    ])
  func reading(text: String, expected: String) throws {
    let address = try NATSServerAddress(text)
    #expect(address.description == expected)
    #expect(address.isTLS == expected.hasPrefix("tls"))
  }

  @Test(
    "Other texts are refused with a remedy",
    arguments: [
      "", "nats://", "http://one.example", "nats://one.example:0", "nats://one.example:65536", "nats://one.example:x",
      "nats://one.example:", "nats://one example", "nats://one.example/path", "[::1", "[::1]x", "[]:1",
      "one\r\nexample",
      "nats://one.example:99999999999999999999", "nats://\(String(repeating: "a", count: 254))",
    ])
  func refusal(text: String) {
    let failure = #expect(throws: Failure.self) { try NATSServerAddress(text) }
    #expect(failure?.kind == .usage)
    #expect(failure?.remedy?.contains("nats://host:4222") == true)
  }

  @Test("A password in an address is refused, and not repeated")
  func password() throws {
    let failure = #expect(throws: Failure.self) { try NATSServerAddress("nats://user:hidden@one.example:4222") }
    #expect(failure?.kind == .usage)
    #expect(failure?.remedy?.contains("seed") == true)
    #expect(failure.map { "\($0)" }?.contains("hidden") == false)
  }

  @Test("A list is separated by commas, without empty entries")
  func list() throws {
    let hosts = try NATSServerAddress.list("nats://a:1,b,tls://c").map(\.host)
    #expect(hosts == ["a", "b", "c"])
    #expect(throws: Failure.self) { try NATSServerAddress.list("nats://a:1,,b") }
    #expect(throws: Failure.self) { try NATSServerAddress.list("") }
  }
}
