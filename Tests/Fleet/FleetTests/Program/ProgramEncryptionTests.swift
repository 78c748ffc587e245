import FleetLab
import Foundation
import TesseraBridge
import TestSupport
import Testing

extension RealPrograms {
  /// The programs at a server with a certificate.
  @Suite("The programs of a fleet with TLS", .enabled(if: ProgramFleet.isEnabled, "nats-server is not installed"))
  struct ProgramEncryptionTests {
    @Test("inspect, fleet read and fleet status use tls:// with the authority of --fleet-ca, and no other")
    func encryption() async throws {
      let (certificate, other) = (try await LabCertificate(), try await LabCertificate())
      let fleet = try await ProgramFleet(certificate: certificate)
      #expect(fleet.address.hasPrefix("tls://"))
      let inspector = try await fleet.inspector("i1")
      for mode in ["witnessed", "remote"] {
        let run = try await fleet.tessera(
          ["fleet", "read", "--virtual", "--json", "--fleet-reading", mode] + fleet.desk("lobby"))
        #expect(run.status == 0, "\(run.errors)")
        let object = try JSONValue(text: run.output)
        #expect(object["outcome"] == "genuine" && object["fleet"]?["recorded"] == .bool(true))
      }
      let status = try await fleet.status()
      #expect(status["reads"] == ["genuine": 2] && status["record"]?["messages"] == 2)
      #expect(try await fleet.tessera(["doctor", "--fleet", fleet.address]).output.contains("Fleet server"))

      let seed = ["--fleet-seed", fleet.seed("desk-lobby")]
      for (place, authority) in [
        (fleet.address, ["--fleet-ca", other.file]), (fleet.address, []),
        // The server insists on TLS.
        (fleet.address.replacing("tls://", with: "nats://"), []),
      ] {
        let run = try await fleet.tessera(["fleet", "read", "--virtual", "--fleet", place] + authority + seed)
        #expect(run.status == 3 && run.output.isEmpty, "\(place) \(authority): \(run.errors)")
      }
      #expect(try await fleet.status()["record"]?["messages"] == 2)
      inspector.send(signal: SIGTERM)
      #expect(await inspector.finish().status == 0)
    }
  }
}
