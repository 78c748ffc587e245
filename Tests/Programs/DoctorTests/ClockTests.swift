import Foundation
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Doctor: the clock")
  struct ClockTests {
    @Test("is compared with the newest document that was verified; a wrong one is a problem with a command")
    func clock() async throws {
      let home = try TemporaryFolder()
      let environment = ["XDG_DATA_HOME": home.file("data"), "XDG_STATE_HOME": home.file("state")]
      #expect(try await finding(environment).id == "clock.unknown")
      let file = home.file("state/tessera/kiosk-clock")
      try FileManager.default.createDirectory(
        atPath: home.file("state/tessera"), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try Data("2020-01-01T00:00:00Z".utf8).write(to: URL(fileURLWithPath: file))
      #expect(try await finding(environment).status == "ok")
      try Data("2199-01-01T00:00:00Z".utf8).write(to: URL(fileURLWithPath: file))
      let wrong = try await finding(environment)
      #expect(wrong.id == "clock.behind" && wrong.status == "problem")
      #expect(wrong.cause.contains("but a document that was read was signed later than that, not before 2199."))
      #expect(wrong.remedy == "Set the clock, or remove \(file) if its time is in the future.")
      let hasSystemd = FileManager.default.fileExists(atPath: "/run/systemd/system")
      #expect(wrong.command?.hasSuffix("timedatectl set-ntp true") == (hasSystemd ? true : nil))
    }

    private func finding(_ environment: [String: String]) async throws -> DoctorReport.Finding {
      let report = try await DoctorReport {
        try await ProgramRun.tessera(["doctor", "--json"], environment: environment)
      }
      let findings = report.about("clock")
      #expect(findings.count == 1)
      return try #require(findings.first)
    }
  }
}
