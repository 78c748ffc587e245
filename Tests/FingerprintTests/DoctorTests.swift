import Foundation
import TestSupport
import Testing

@testable import TesseraFingerprint

extension Fingerprints {
  @Suite("Doctor: fingerprint reader", .serialized)
  struct DoctorTests {
    private func finding(
      _ lab: FingerprintLab, _ variables: [String: String] = [:]
    ) async throws -> DoctorReport.Finding {
      let run = try await lab.start(ProgramRun.tessera.path, ["doctor", "--json"], variables).finish(within: 60)
      let report = try DoctorReport(run)
      return try #require(report.about("fingerprint").first { $0.id != "fingerprint.policy" })
    }

    @Test("a reader without and with an enrolled finger, and none")
    func fprintd() async throws {
      let lab = try await FingerprintLab(.fprintd())
      let missing = try await finding(lab, ["XDG_CURRENT_DESKTOP": "GNOME"])
      #expect(missing.id == "fingerprint.enrol" && missing.status == "information")
      #expect(missing.command == "gnome-control-center user-accounts")
      try await lab.enrol()
      let fine = try await finding(lab)
      #expect(fine.id == "fingerprint" && fine.status == "ok")
      let noReader = try await finding(try await FingerprintLab(.fprintd(hasReader: false)))
      #expect(noReader.id == "fingerprint.none" && noReader.status == "information")
    }

    @Test("a service that is installed and does not start, hangs, or forbids the reader")
    func problems() async throws {
      let broken = try await finding(try await FingerprintLab())
      #expect(broken.id == "fingerprint.service" && broken.status == "problem" && broken.command?.isEmpty == false)
      let silent = try await finding(
        try await FingerprintLab(.scripted(method: "GetDevices", fault: "hang")))
      #expect(silent.id == "fingerprint.silent" && silent.status == "problem" && silent.command?.isEmpty == false)
      let forbidden = try await finding(
        try await FingerprintLab(
          .scripted(method: "ListEnrolledFingers", fault: "net.reactivated.Fprint.Error.PermissionDenied")))
      #expect(forbidden.id == "fingerprint.access" && forbidden.status == "problem")
    }

    @Test("the program carries the polkit action of the repository")
    func policy() async throws {
      let run = try await ProgramRun.tessera(["doctor", "--policy"])
      let file = Fixtures.tests.deletingLastPathComponent().appendingPathComponent(
        "Sources/TesseraDoctor/Rules/org.tessera.policy")
      #expect(run.output == (try String(contentsOf: file, encoding: .utf8)))
    }
  }
}
