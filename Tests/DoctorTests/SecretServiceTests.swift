import Foundation
import TestSupport
import Testing

/// A private bus each, with or without a real gnome-keyring.
@Suite(
  "The doctor and the Secret Service", .serialized,
  .enabled(if: SecretServiceLab.isWanted, "\(SecretServiceLab.obstacle ?? "")"))
struct SecretServiceTests {
  @Test("no session bus at all")
  func noBus() async throws {
    let folder = try TemporaryFolder()
    let finding = try await finding([
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("none"))", "XDG_RUNTIME_DIR": folder.url.path,
    ])
    #expect(finding.id == "secrets.noBus" && finding.status == "problem")
    #expect(finding.command?.isEmpty == false)
  }

  @Test("a bus that keeps no secrets; the command starts the keyring")
  func noService() async throws {
    let lab = try await SecretServiceLab(hasKeyring: false)
    defer { lab.stop() }
    let broken = try await finding(lab.environment)
    #expect(broken.id == "secrets.noService" && broken.status == "problem")
    #expect(broken.command == "/usr/bin/gnome-keyring-daemon --start --components=secrets")
    // A daemon that kept what it inherits would keep Foundation waiting for the end.
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

  @Test("a keyring that is open, and one that is locked, which is no problem")
  func keyring() async throws {
    let lab = try await SecretServiceLab()
    defer { lab.stop() }
    #expect(try await finding(lab.environment).cause == "The keyring runs and is unlocked.")
    try await lab.lock()
    let locked = try await finding(lab.environment)
    #expect(locked.id == "secrets.locked" && locked.status == "information")
  }

  @Test("a keyring that does not answer")
  func silent() async throws {
    let lab = try await SecretServiceLab()
    defer { lab.stop() }
    lab.pauseKeyring()
    #expect(try await finding(lab.environment).id == "secrets.silent")
  }

  @Test("the bus of another user", .enabled(if: PrivateMachine.isWanted, "\(PrivateMachine.obstacle ?? "")"))
  func foreignBus() async throws {
    let lab = try await SecretServiceLab()
    defer { lab.stop() }
    let machine = try await PrivateMachine()
    let report = try await machine.doctor(isNobody: true, environment: lab.environment)
    let findings = report.about("secrets")
    #expect(findings.map(\.status) == ["problem"])
    #expect(findings.first?.id == "secrets.busAccess")
  }

  private func finding(_ environment: [String: String]) async throws -> DoctorReport.Finding {
    let run = try await ProgramRun.tessera(["doctor", "--json"], environment: environment)
    let findings = try DoctorReport(run).about("secrets")
    #expect(findings.count == 1)
    return try #require(findings.first)
  }
}
