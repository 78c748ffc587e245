import Foundation
import TestSupport
import Testing

extension RealPrograms.AsRoot {
  /// A pcscd that is not of this machine: its socket is mounted into a container.
  @Suite(
    "Doctor: a pcscd that refuses", .serialized,
    .enabled(if: PrivateMachine.isEnabled, "\(PrivateMachine.unavailableReason ?? "")"))
  struct PCSCRefusalTests {
    /// Answers the first message of libpcsclite, which states its version, or hangs up.
    private static let service = """
      #!/usr/bin/python3
      import socket, struct, sys
      server = socket.socket(socket.AF_UNIX)
      server.bind("/run/pcscd/pcscd.comm")
      server.listen()
      print("ready", flush=True)
      while True:
          client = server.accept()[0]
          header = client.recv(8) if sys.argv[1] == "version" else b""
          # Who only looks whether somebody listens sends nothing.
          if len(header) == 8:
              client.recv(struct.unpack("II", header)[0])
              client.sendall(struct.pack("iiI", 4, 99, 0x8010001D))
          client.close()
      """

    private func withService(
      _ kind: String, _ body: (PrivateMachine) async throws -> Void
    ) async throws {
      let machine = try await PrivateMachine()
      try machine.install("service", Self.service)
      let service = try machine.start("exec service \(kind)")
      defer { service.send(signal: SIGKILL) }
      #expect(await service.wait { $0.output.contains("ready") })
      try await body(machine)
    }

    @Test("another version of the protocol is named, and the service is not said to be away")
    func version() async throws {
      try await withService("version") { machine in
        let finding = try #require(try await machine.doctor().about("pcsc").first)
        #expect(finding.id == "pcsc.broken" && finding.status == "problem")
        #expect(finding.cause.hasPrefix("pcscd is running"))
        #expect(!finding.cause.contains("not running"))
        #expect(finding.remedy?.contains("version") == true && finding.remedy?.contains("libpcsclite1") == true)
      }
    }

    @Test("a service that hangs up may be a polkit elsewhere: what to allow is named")
    func refusal() async throws {
      try await withService("close") { machine in
        let finding = try #require(try await machine.doctor().about("pcsc").first)
        #expect(finding.id == "pcsc.broken" && finding.status == "problem")
        #expect(finding.remedy?.contains("polkit") == true)
      }
    }
  }
}
