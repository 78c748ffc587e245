import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// `tessera doctor --fleet`: what a server says of itself, and what follows from it.
  @Suite("Doctor: fleet")
  struct ProgramDoctorTests {
    private func findings(_ places: String, acceptsSilence: Bool = false) async throws -> [DoctorReport.Finding] {
      try await DoctorReport(acceptsSilence: acceptsSilence) {
        try await ProgramRun.tessera(["doctor", "--json", "--fleet", places])
      }.findings
    }

    private func findings(greeting: String, acceptsSilence: Bool = false) async throws -> [DoctorReport.Finding] {
      let server = try GreetingServer(greeting)
      let all = try await findings("nats://127.0.0.1:\(server.port)", acceptsSilence: acceptsSilence)
      #expect(all.first?.id == "fleet.program")
      return Array(all.dropFirst())
    }

    @Test("a good server is one line without a problem")
    func good() async throws {
      let all = try await findings(greeting: Greeting.text(Greeting.good))
      #expect(all.map(\.id) == ["fleet.server"])
      #expect(all.first?.status == "ok")
      #expect(all.first?.cause.contains("2.9.10") == true && all.first?.cause.contains("n1") == true)
    }

    @Test(
      "each deviation is one problem with a remedy",
      arguments: [
        (Greeting.text(without: "version", with: #""version":"2.8.4""#), "fleet.version"),
        (Greeting.text(without: "version", with: #""version":"1.10.0""#), "fleet.version"),
        (Greeting.text(without: "version", with: #""version":"next""#), "fleet.version"),
        (Greeting.text(without: "jetstream"), "fleet.jetstream"),
        (Greeting.text(without: "auth_required"), "fleet.login"),
        (Greeting.text(without: "max_payload", with: #""max_payload":65536"#), "fleet.payload"),
        (Greeting.text(Greeting.good + [#""tls_required":true"#]), "fleet.tls"),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "fleet.foreign"), ("INFO {\r\n", "fleet.foreign"),
        ("INFO []\r\n", "fleet.foreign"), ("INFO {\"version\":7}\r\n", "fleet.foreign"),
        ("SSH-2.0-OpenSSH_9.2\n", "fleet.foreign"),
      ])
    func deviation(_ greeting: String, _ id: String) async throws {
      let all = try await findings(greeting: greeting)
      #expect(all.map(\.id) == [id])
      #expect(all.first?.status == "problem" && all.first?.remedy?.isEmpty == false)
    }

    @Test("a newer version than 2.9 is fine", arguments: ["2.10.0", "2.12.1-beta", "3.0.0"])
    func newer(_ version: String) async throws {
      let greeting = Greeting.text(without: "version", with: "\"version\":\"\(version)\"")
      #expect(try await findings(greeting: greeting).map(\.id) == ["fleet.server"])
    }

    @Test("a server that says nothing, or too much without a line end, ends with a finding")
    func silence() async throws {
      for greeting in ["", "INFO " + String(repeating: "x", count: 200_000)] {
        #expect(try await findings(greeting: greeting, acceptsSilence: true).map(\.id) == ["fleet.silent"])
      }
    }

    @Test("what a server says reaches a terminal without control characters")
    func controlCharacters() async throws {
      let greeting = Greeting.text(without: "version", with: #""version":"2.9.\u001b[31m""#)
      let server = try GreetingServer(greeting)
      let run = try await ProgramRun.tessera(["doctor", "--fleet", "nats://127.0.0.1:\(server.port)"])
      #expect(run.output.contains("Fleet server") && !run.output.contains("\u{1B}"))
    }

    @Test("no listener, no such name, no address")
    func unreachable() async throws {
      let port = try ReservedPort()
      let all = try await findings("nats://127.0.0.1:\(port.number), tls://no-such-host.invalid:4222,http://x")
      #expect(all.dropFirst().map(\.id) == ["fleet.refused", "fleet.host", "fleet.address"])
      #expect(all.dropFirst().allSatisfy { $0.status == "problem" && $0.remedy != nil })
      #expect(all[1].command == "nats-server -c nats.conf")
      #expect(all[2].command == "getent hosts no-such-host.invalid")
    }

    @Test("tls:// needs a server with a certificate")
    func encryption() async throws {
      let plain = try GreetingServer(Greeting.text(Greeting.good))
      #expect(try await findings("tls://127.0.0.1:\(plain.port)").last?.id == "fleet.tls")
      let encrypted = try GreetingServer(Greeting.text(Greeting.good + [#""tls_required":true"#]))
      #expect(try await findings("tls://127.0.0.1:\(encrypted.port)").last?.id == "fleet.server")
    }
  }
}

/// The first line of a NATS server.
private enum Greeting {
  static let good = [
    #""version":"2.9.10""#, #""server_name":"n1""#, #""jetstream":true"#, #""auth_required":true"#,
    #""max_payload":1048576"#,
  ]

  static func text(_ members: [String]) -> String { "INFO {\(members.joined(separator: ","))} \r\n" }

  /// The good greeting with another member, or without it.
  static func text(without name: String, with member: String? = nil) -> String {
    text(good.filter { !$0.hasPrefix("\"\(name)\"") } + [member].compactMap(\.self))
  }
}
