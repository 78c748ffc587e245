import Foundation
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Doctor: key files")
  struct KeyFolderTests {
    @Test("a folder that other users can access; the command corrects it")
    func openFolder() async throws {
      let home = try TemporaryFolder()
      let environment = ["XDG_DATA_HOME": home.url.path]
      #expect(try await finding(environment).id == "keys.none")
      let made = try await ProgramRun.tessera(["key", "generate", "lab", "--unprotected"], environment: environment)
      #expect(made.status == 0)
      #expect(try await finding(environment).status == "ok")

      let files = FileManager.default.enumerator(atPath: home.file("tessera/keys"))?.compactMap { $0 as? String } ?? []
      let file = try #require(files.first { $0.hasSuffix("lab.pem") })
      for path in [home.file("tessera/keys"), home.file("tessera/keys/\(file)")] {
        chmod(path, 0o755)
        let broken = try await finding(environment)
        #expect(broken.id == "keys.open" && broken.status == "problem")
        #expect(broken.command == "chmod -R go= \(home.file("tessera/keys"))")
        let mending = try await RunningProgram(
          URL(fileURLWithPath: "/bin/sh"), ["-c", broken.command ?? "false"]
        ).finish(within: 120)
        #expect(mending.status == 0)
        #expect(try await finding(environment).status == "ok")
      }
    }

    @Test("a file of another user", .enabled(if: getuid() == 0, "only root can change the owner of files"))
    func foreignFileAsRoot() async throws {
      let home = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: home.file("tessera/keys"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      chown(home.file("tessera/keys"), 65_534, 65_534)
      let broken = try await finding(["XDG_DATA_HOME": home.url.path])
      #expect(broken.id == "keys.owner")
      #expect(broken.command == "chown -R root \(home.file("tessera/keys"))")
    }

    private func finding(_ environment: [String: String]) async throws -> DoctorReport.Finding {
      let report = try await DoctorReport {
        try await ProgramRun.tessera(["doctor", "--json"], environment: environment)
      }
      let findings = report.about("keys")
      #expect(findings.count == 1)
      return try #require(findings.first)
    }
  }
}
