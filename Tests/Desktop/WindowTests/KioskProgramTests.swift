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
      try await lab.readSpecimen(in: window)
      // The next guest types at once.
      try await lab.leaveVerdict()
      try await lab.press(["ctrl+shift+i", "ctrl+shift+d"], in: window)
      try await lab.readSpecimen(in: window)
      // GTK 4.8 opens its inspector for these keys, whatever a handler answers.
      #expect(try await lab.visibleWindows().count == 1)
      #expect(program.isRunning)
      program.send(signal: SIGTERM)
      #expect(await program.finish(within: 60).status == 128 + SIGTERM)
    }

    @Test("loads its page again after its process was killed, and fails after the third time in a row")
    func killed() async throws {
      let lab = try await WindowLab()
      let metrics = lab.home.file("kiosk.prom")
      let program = try await lab.open(["--virtual", "--failures", "3", "--metrics", metrics], command: "kiosk")
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
      #expect(run.errors.contains("The page failed 3 times in a row (--failures): the kiosk ends with status 3."))
      let text = try String(contentsOfFile: metrics, encoding: .utf8)
      #expect(text.contains(#"tessera_page_restarts_total{code="WEB_PROCESS_TERMINATED"} 2"# + "\n"))
      #expect(text.contains("tessera_reader_connected 1.0\n") && !text.contains("tessera_clock_right"))
    }

    @Test("keeps a result of a read, which openssl verifies, and shows the verdict when it cannot")
    func result() async throws {
      let lab = try await WindowLab()
      let folder = lab.home.file("results")
      let program = try await lab.open(["--virtual", "--results", folder, "--disclose", "surname"], command: "kiosk")
      try await lab.readSpecimen(in: lab.window("Check a document"))
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
      try await lab.readSpecimen(in: lab.window("Check a document"))
      #expect(other.errors.contains("A result is not stored"))
      // As when the display ends: GTK ends the program at once. The next one has the result all the same.
      other.send(signal: SIGKILL)
      _ = await other.finish(within: 60)
      unlink(full)
      let next = try await lab.open(["--virtual", "--results", "\(full)/results"], command: "kiosk")
      try await eventually("The result") {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(full)/results")) ?? []
        return names.count { $0.hasSuffix(".json") } == 1
      }
      try await eventually("The line") { next.errors.contains("1 result of an earlier process had not been stored") }
      next.send(signal: SIGTERM)
      #expect(await next.finish(within: 60).status == 128 + SIGTERM)
    }

    @Test("says in the log what goes wrong in a page of the operator's own")
    func ownPage() async throws {
      let lab = try await WindowLab()
      let folder = lab.home.file("page")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for (name, text) in [
        (
          "index.html",
          "<!doctype html><title>Own</title><script src='main.js'></script><script>inline()</script>"
            + "<img src='data:image/png;base64,UE9SVFJBSVQ='><img src='missing.png?number=C01X'>"
        ),
        ("main.js", "console.error('said', 1);\nabsent();"),
      ] { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
      let program = try await lab.open(["--virtual", "--page", folder], command: "kiosk")
      for word in ["said 1", "absent", "script-src", "missing.png", "inline (tessera-content://kiosk/index.html:"] {
        try await eventually("\(word)") { program.errors.contains(word) }
      }
      program.send(signal: SIGTERM)
      // Addresses can have something of a document.
      let log = await program.finish(within: 60).errors
      #expect(!log.contains("UE9SVFJBSVQ") && !log.contains("C01X"), "\(log)")
    }

    @Test("refuses options without a meaning")
    func refusals() async throws {
      let lab = try await WindowLab()
      for (arguments, word) in [
        (["--results", ""], "empty"), (["--key", "other"], "--results"), (["--store", "file"], "--results"),
        (["--results", "HTTP://desk.example"], "https"), (["--results", "https:/desk.example"], "two slashes"),
        (["--metrics", "kiosk.txt"], ".prom"),
        (["--results", "https://"], "desk.example/results"), (["--results", "/proc/kiosk"], "not a folder"),
        (["--results", "/etc/passwd"], "folder"), (["--check", "--theme", "/nowhere"], "/nowhere"),
        (["--words", "../de"], "--words"), (["--words", ""], "--words"),
      ] {
        let run = try await ProgramRun.tessera(["kiosk"] + arguments, environment: lab.environment, timeout: 60)
        #expect(run.status == 2, "\(arguments)")
        #expect(run.errors.contains(word), "\(arguments): \(run.errors)")
      }
      let check = try await ProgramRun.tessera(
        ["kiosk", "--check", "--results", lab.home.file("results")], environment: lab.environment, timeout: 60)
      #expect(check.status == 0, "\(check.errors)")
      #expect(!FileManager.default.fileExists(atPath: lab.home.file("results")))
      // What may pass is said, and is no reason.
      let figures = try await ProgramRun.tessera(
        ["kiosk", "--check", "--metrics", lab.home.file("none/kiosk.prom")], environment: lab.environment, timeout: 60)
      #expect(figures.status == 0 && figures.errors.contains("The metrics are not written: "), "\(figures.errors)")
      // What a kiosk that runs takes for a full disk, and what passes but was perhaps meant otherwise.
      let theme = lab.home.file("theme")
      try FileManager.default.createDirectory(atPath: theme, withIntermediateDirectories: false)
      try Data(#"{"words": {"fr": {"privacy": "Rien"}}}"#.utf8).write(to: URL(fileURLWithPath: "\(theme)/theme.json"))
      for (results, status, words) in [
        ("\(theme)/theme.json/results", 2, ["a part of its path is not a folder"]),
        (lab.home.file("results"), 0, ["“fr.privacyKept” shows", "can be started"]),
      ] {
        let run = try await ProgramRun.tessera(
          ["kiosk", "--check", "--theme", theme, "--results", results], environment: lab.environment, timeout: 60)
        #expect(run.status == Int32(status) && words.allSatisfy(run.errors.contains), "\(results): \(run.errors)")
      }
      let words = try await ProgramRun.tessera(["kiosk", "--words", "de"], environment: lab.environment, timeout: 60)
      #expect(try JSONValue(text: words.output)["words"]?["de"]?["title"] == "Dokument prüfen")
    }
  }
}
