import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("tessera kiosk")
  struct KioskProgramTests {
    @Test("fills the whole screen without a window manager, and only a signal ends it")
    func wholeScreen() async throws {
      let lab = try await WindowLab()
      let program = try await lab.open(["--virtual"], command: "kiosk")
      let window = try await lab.window("Check a document")
      // The screen is black where there is no window, and the page is light.
      _ = try await lab.screen("the page in all corners") { screen in
        [(1, 1), (screen.width - 2, 1), (1, screen.height - 2), (screen.width - 2, screen.height - 2)]
          .allSatisfy { screen[$0.0, $0.1].lightness > 200 }
      }
      try await lab.press(["ctrl+w", "ctrl+q", "ctrl+alt+shift+q"], in: window)
      // The page has all keys before these.
      try await read(lab, window)
      #expect(program.isRunning)
      program.send(signal: SIGTERM)
      #expect(await program.finish(within: 60).status == 128 + SIGTERM)
    }

    @Test("loads its page again after its process was killed, and fails after the third time in a row")
    func killed() async throws {
      let lab = try await WindowLab()
      let program = try await lab.open(["--virtual", "--failures", "3"], command: "kiosk")
      for death in 1...3 {
        _ = try await lab.window("Check a document")
        let processes = Descendants.named("WebKitWebProcess", of: program.processIdentifier)
        #expect(!processes.isEmpty)
        for process in processes { kill(process, SIGKILL) }
        if death < 3 { _ = try await lab.window("No page") }
      }
      let run = await program.finish(within: 60)
      #expect(run.status == 3)
      #expect(run.errors.contains("WEB_PROCESS_TERMINATED, 3 in a row"))
    }

    @Test("keeps a result of a read, which openssl verifies, and shows the verdict when it cannot")
    func result() async throws {
      let lab = try await WindowLab()
      let folder = lab.home.file("results")
      let program = try await lab.open(["--virtual", "--results", folder, "--disclose", "surname"], command: "kiosk")
      try await read(lab, try await lab.window("Check a document"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
      let name = try #require(names.first)
      #expect(names.count == 1)
      let json = try JSONValue(text: String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
      #expect(json["outcome"] == "genuine")
      #expect(json["document"] == ["surname": "SPECIMEN"])
      let key = try await ProgramRun.tessera(["key", "public", "kiosk"], environment: lab.environment)
      #expect(key.status == 0, "\(key.errors)")
      try key.output.write(toFile: lab.home.file("kiosk.pem"), atomically: false, encoding: .utf8)
      #expect(
        ProgramRun.succeeds(
          "/usr/bin/openssl",
          [
            "dgst", "-sha256", "-verify", lab.home.file("kiosk.pem"), "-signature", "\(folder)/\(name).sig",
            "\(folder)/\(name)",
          ]))
      program.send(signal: SIGTERM)
      #expect(await program.finish(within: 60).status == 128 + SIGTERM)

      // A file in place of the folder takes nothing, as a full disk.
      let full = lab.home.file("full")
      #expect(FileManager.default.createFile(atPath: full, contents: nil))
      let other = try await lab.open(["--virtual", "--results", "\(full)/results"], command: "kiosk")
      try await read(lab, try await lab.window("Check a document"))
      #expect(other.errors.contains("A result is not stored"))
      other.send(signal: SIGTERM)
      _ = await other.finish(within: 60)
    }

    @Test("refuses options without a meaning")
    func refusals() async throws {
      let lab = try await WindowLab()
      for (arguments, word) in [
        (["--results", ""], "empty"), (["--key", "other"], "--results"), (["--store", "file"], "--results"),
        (["--results", "HTTP://desk.example"], "https"),
      ] {
        let run = try await ProgramRun.tessera(["kiosk"] + arguments, environment: lab.environment, timeout: 60)
        #expect(run.status == 2, "\(arguments)")
        #expect(run.errors.contains(word), "\(arguments): \(run.errors)")
      }
    }

    /// Types the data of the specimen, and waits for the verdict.
    private func read(_ lab: WindowLab, _ window: String) async throws {
      for (text, key) in [("TS0264718", "Tab"), ("900214", "Tab"), ("350630", "Return")] {
        try await lab.type(text, in: window)
        try await lab.press([key], in: window)
      }
      _ = try await lab.window("Genuine")
    }
  }
}
