import Foundation
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// The programs of Sources/Examples, on a machine without devices.
  @Suite("The example programs")
  struct ExampleProgramTests {
    private func run(
      _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> (run: ProgramRun, lines: [String]) {
      let folder = try TemporaryFolder()
      // Nothing of this user: no keyring, no imported certificates, no display.
      let home = [
        "HOME": folder.url.path, "XDG_DATA_HOME": folder.file("data"), "XDG_CONFIG_HOME": folder.file("config"),
        "XDG_RUNTIME_DIR": folder.file("run"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("nowhere"))",
        "DISPLAY": "", "WAYLAND_DISPLAY": "",
      ]
      let run = try await RunningProgram(
        ProgramRun.built(name), arguments, environment: home.merging(environment) { $1 }
      ).finish(within: 120)
      return (run, run.output.components(separatedBy: "\n"))
    }

    @Test("ExampleRead prints the verdict of the shell")
    func read() async throws {
      let (run, lines) = try await run("ExampleRead")
      #expect(run.status == 0 && lines.first == "Genuine, by the test country of Tessera.", "\(run)")
      #expect(lines.contains("passive.signature: passed"))
    }

    @Test("ExampleDesk shows each step, then the verdict")
    func desk() async throws {
      let (run, lines) = try await run("ExampleDesk")
      #expect(run.status == 0 && lines.first == "Zone TD3 of UTO", "\(run)")
      #expect(lines.contains("Opened by BAC"))
      #expect(lines.suffix(3) == ["Genuine, by the test country of Tessera.", "Welcome, TESSA MARIA.", ""])
    }

    @Test("the signature of ExampleSign verifies with OpenSSL, and nothing remains")
    func sign() async throws {
      let temporary = try TemporaryFolder()
      let (run, lines) = try await run("ExampleSign", ["Grüße"], environment: ["TMPDIR": temporary.url.path])
      #expect(run.status == 0 && lines.first == "Signed 7 bytes; the signature is valid.", "\(run)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
      let signature = try #require(lines.dropFirst().first.flatMap { Data(base64Encoded: $0) })
      try signature.write(to: URL(fileURLWithPath: temporary.file("signature")))
      try lines.dropFirst(2).joined(separator: "\n").write(
        toFile: temporary.file("key.pem"), atomically: true, encoding: .utf8)
      try Data("Grüße".utf8).write(to: URL(fileURLWithPath: temporary.file("text")))
      let openssl = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/openssl"),
        [
          "dgst", "-sha256", "-verify", temporary.file("key.pem"), "-signature", temporary.file("signature"),
          temporary.file("text"),
        ]
      ).finish(within: 120)
      #expect(openssl.output == "Verified OK\n", "\(openssl)")
    }

    @Test("ExampleHaptics says which device is missing")
    func haptics() async throws {
      let (run, lines) = try await run("ExampleHaptics", ["/dev/null"])
      #expect(run.status == 1 && lines.first == "2 pulses in 200 ms.", "\(run)")
      #expect(lines.dropFirst().first?.hasPrefix("/dev/null is not a connected force-feedback device.") == true)
    }

    @Test("ExampleWindow says that there is no display")
    func noDisplay() async throws {
      let (run, lines) = try await run("ExampleWindow")
      #expect(run.status == 1 && lines.first?.hasPrefix("There is no display to open a window on.") == true, "\(run)")
    }

    @Test("ExampleWindow prints what its page reports", .enabled(if: WindowLab.isEnabled))
    func window() async throws {
      let lab = try await WindowLab()
      let program = try RunningProgram(ProgramRun.built("ExampleWindow"), [], environment: lab.environment)
      let window = try await lab.window("A guest")
      // The field has the focus once the page is there; a key before that reaches nothing.
      _ = try await isTrue(every: .milliseconds(500)) {
        guard program.isRunning else { return true }
        try await lab.press(["1", "2", "Return"], in: window)
        return false
      }
      let run = await program.finish(within: 120)
      #expect(run.status == 0 && run.output.hasPrefix("Room "), "\(run)")
    }
  }
}
