import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// Each test has a private bus, with or without a real gnome-keyring.
  @Suite(
    "Doctor: Secret Service", .serialized,
    .enabled(if: SecretServiceLab.isEnabled, "\(SecretServiceLab.unavailableReason ?? "")"))
  struct SecretServiceTests {
    @Test("no session bus")
    func noBus() async throws {
      let folder = try TemporaryFolder()
      let finding = try await finding([
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("none"))", "XDG_RUNTIME_DIR": folder.url.path,
      ])
      #expect(finding.id == "secrets.noBus" && finding.status == "problem")
      #expect(finding.command?.isEmpty == false)
    }

    @Test("a bus without a Secret Service; the command starts the keyring")
    func noService() async throws {
      let lab = try await SecretServiceLab(hasKeyring: false)
      defer { lab.stop() }
      let broken = try await finding(lab.environment)
      #expect(broken.id == "secrets.noService" && broken.status == "problem")
      #expect(broken.command == "/usr/bin/gnome-keyring-daemon --start --components=secrets")
      // Foundation waits until a daemon closes the descriptors that it inherited.
      let apart = """
        import subprocess, sys
        sys.exit(subprocess.call(sys.argv[1], shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        """
      let mending = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", apart, broken.command ?? "false"], environment: lab.environment
      ).finish(within: 120)
      #expect(mending.status == 0)
      #expect(try await finding(lab.environment).status != "problem")
    }

    @Test("an unlocked keyring and a locked one, which is not a problem")
    func keyring() async throws {
      let lab = try await SecretServiceLab()
      defer { lab.stop() }
      #expect(try await finding(lab.environment).cause == "The keyring is running and unlocked.")
      try await lab.lock()
      let locked = try await finding(lab.environment)
      #expect(locked.id == "secrets.locked" && locked.status == "information")
    }

    @Test("a keyring that does not respond")
    func silent() async throws {
      let lab = try await SecretServiceLab()
      defer { lab.stop() }
      lab.pauseKeyring()
      #expect(try await finding(lab.environment, acceptsSilence: true).id == "secrets.silent")
    }

    @Test(
      "the session bus of another user",
      .enabled(if: PrivateMachine.isEnabled, "\(PrivateMachine.unavailableReason ?? "")"))
    func foreignBusAsRoot() async throws {
      let lab = try await SecretServiceLab()
      defer { lab.stop() }
      let machine = try await PrivateMachine()
      let report = try await machine.doctor(isNobody: true, environment: lab.environment)
      let findings = report.about("secrets")
      #expect(findings.map(\.status) == ["problem"])
      #expect(findings.first?.id == "secrets.busAccess")
    }

    private func finding(
      _ environment: [String: String], acceptsSilence: Bool = false
    ) async throws -> DoctorReport.Finding {
      let report = try await DoctorReport(acceptsSilence: acceptsSilence) {
        try await ProgramRun.tessera(["doctor", "--json"], environment: environment)
      }
      let findings = report.about("secrets")
      #expect(findings.count == 1)
      return try #require(findings.first)
    }
  }
}
