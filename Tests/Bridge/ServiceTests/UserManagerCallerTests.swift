import Foundation
import TestSupport
import Testing

extension RealPrograms.AsRoot {
  /// The unit of `service install --websocket`, which must see its callers.
  @Suite(
    "Callers of a service under a systemd user manager",
    .enabled(if: UserManagerLab.isEnabled && SandboxedCaller.isEnabled, "no user manager can run here"))
  struct UserManagerCallerTests {
    @Test(
      "a page outside of a sandbox is answered, one inside is not, unless the option admits it",
      arguments: [[], ["--allow-sandboxed-browsers"]])
    func callers(_ options: [String]) async throws {
      let port = try ReservedPort()
      let address = "127.0.0.1:\(port.number)"
      let lab = try await UserManagerLab(program: ProgramRun.tessera)
      let granted = try await lab.run(
        [
          "sh", "-c",
          "umask 077; mkdir -p ~/.config/tessera; echo 'https://app.test:5173 = nfc' > ~/.config/tessera/grants",
        ])
      let installed = try await lab.tessera(["service", "install", "--websocket", address] + options)
      let answers = await Result<[String], any Error>.of {
        var answers: [String] = []
        for sandbox in [[], ["/usr/bin/unshare", "--user", "--pid", "--fork"]] {
          let words = SandboxedCaller.plain.words("ws://\(address)/bridge")
          answers.append(try await lab.run(sandbox + words).output.trimmingCharacters(in: .newlines))
        }
        return answers
      }
      await lab.stop()
      #expect(granted.status == 0 && installed.status == 0, "\(granted.errors) \(installed.errors)")
      #expect(try answers.get() == ["HTTP/1.1 101", options.isEmpty ? "" : "HTTP/1.1 101"])
    }
  }
}

extension Result where Failure == any Error {
  fileprivate static func of(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
