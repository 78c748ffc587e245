import Foundation
import TestSupport
import Testing

@testable import TesseraFingerprint

extension RealPrograms {
  @Suite("Doctor: fingerprint reader", .serialized)
  struct DoctorTests {
    private func finding(
      _ lab: FingerprintLab, _ variables: [String: String] = [:], acceptsSilence: Bool = false
    ) async throws -> DoctorReport.Finding {
      let report = try await DoctorReport(acceptsSilence: acceptsSilence) {
        try await lab.start(ProgramRun.tessera.path, ["doctor", "--json"], variables).finish()
      }
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

    @Test("a service that is installed and does not start, or hangs; and no bus")
    func problems() async throws {
      for service in [FingerprintLab.Service?.none, .broken] {
        let lab = if let service { try await FingerprintLab(service) } else { try await FingerprintLab() }
        let broken = try await finding(lab)
        #expect(broken.id == "fingerprint.service" && broken.status == "problem" && broken.command?.isEmpty == false)
      }
      let silent = try await finding(
        try await FingerprintLab(.scripted(method: "GetDevices", fault: "hang")), acceptsSilence: true)
      #expect(silent.id == "fingerprint.silent" && silent.status == "information" && silent.command?.isEmpty == false)
      let noBus = try await finding(
        try await FingerprintLab(), ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/proc/nonexistent/bus"])
      #expect(noBus.id == "fingerprint.none" && noBus.status == "information")
      #expect(noBus.command?.contains("dbus") == true, "\(noBus)")
    }

    @Test("a silent service takes no other finding with it")
    func silence() async throws {
      let lab = try await FingerprintLab(.scripted(method: "ListEnrolledFingers", fault: "hang"))
      let report = try await DoctorReport(acceptsSilence: true) {
        try await lab.start(ProgramRun.tessera.path, ["doctor", "--json"]).finish()
      }
      #expect(report.about("fingerprint").map(\.id) == ["fingerprint.silent", "fingerprint.policy"])
    }

    @Test(
      "a forbidden reader is a problem only in the session at the screen",
      .enabled(if: PrivateMachine.isEnabled, "\(PrivateMachine.unavailableReason ?? "")"))
    func sessionAsRoot() async throws {
      let machine = try await PrivateMachine()
      defer { machine.stop() }
      let socket = machine.folder.file("bus")
      let environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(socket)", "HOME": machine.folder.url.path]
      try SystemBusConfiguration.text(socket: socket).write(
        toFile: machine.folder.file("bus.conf"), atomically: true, encoding: .utf8)
      let bus = try machine.start(
        "exec dbus-daemon --config-file=$LAB/bus.conf --nofork --nopidfile", environment: environment)
      try await machine.waitForFile(socket)
      let script = Fixtures.tests.appendingPathComponent("Bridge/FingerprintTests/scripted-fprintd.py").path
      let service = try machine.start(
        "exec /usr/bin/python3 '\(script)' $LAB/calls ListEnrolledFingers net.reactivated.Fprint.Error.PermissionDenied",
        environment: environment)
      #expect(await service.wait(within: 60) { $0.output.contains("ready") }, "\(service.errors)")
      // What logind writes (sd_uid_get_seats(3)).
      for (seats, expected) in [("SEATS=seat0", "information"), ("ACTIVE_SEATS=seat0", "problem")] {
        try await machine.prepare("mkdir -p /run/systemd/users && echo \(seats) >/run/systemd/users/0")
        let report = try await machine.doctor(environment: environment)
        #expect(report.findings.first { $0.id == "fingerprint.access" }?.status == expected, "\(seats)")
      }
      for program in [service, bus] { program.send(signal: SIGKILL) }
    }

    @Test("the program carries the polkit action of the repository")
    func policy() async throws {
      let run = try await ProgramRun.tessera(["doctor", "--policy"])
      let file = Fixtures.tests.deletingLastPathComponent().appendingPathComponent(
        "Sources/Programs/TesseraDoctor/Rules/org.tessera.policy")
      #expect(run.output == (try String(contentsOf: file, encoding: .utf8)))
    }
  }
}
