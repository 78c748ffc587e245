import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("tessera open")
  struct OpenProgramTests {
    @Test("the exit status is 8 when the user closes the window, with one JSON object for programs")
    func closed() async throws {
      let lab = try await WindowLab()
      let program = try await lab.open(["--virtual", "--json"])
      try await lab.press(["ctrl+w"], in: lab.window("Check a document"))
      let run = await program.finish(within: 60)
      #expect(run.status == 8)
      #expect(try JSONValue(text: run.output)["error"]?["code"] == "CANCELLED")
    }

    @Test("a signal ends the launch and its processes", arguments: [SIGTERM, SIGINT])
    func signal(_ signal: Int32) async throws {
      let lab = try await WindowLab()
      let program = try await lab.open(["--virtual"])
      _ = try await lab.window("Check a document")
      let processes = Descendants.named("WebKit", of: program.processIdentifier)
      #expect(processes.count >= 2, "the page's, and that of the network")
      program.send(signal: signal)
      let run = await program.finish(within: 60)
      #expect(run.status == 128 + signal)
      #expect(run.output == "")
      let isGone = await program.wait(within: 60) { _ in
        processes.allSatisfy { Descendants.text("/proc/\($0)/comm") == "" }
      }
      #expect(isGone, "no process of a page remains")
    }

    @Test("pages have their sandbox also if a terminal in a Snap has started the program")
    func startedFromSnap() async throws {
      let lab = try await WindowLab()
      // WebKit 2.50 makes no sandbox then, and says nothing.
      let program = try await lab.open(
        ["--virtual"], environment: ["SNAP": "/snap/code/1", "SNAP_NAME": "code", "SNAP_REVISION": "1"])
      _ = try await lab.window("Check a document")
      try await eventually { !Descendants.named("WebKitWebProcess").isEmpty }
      #expect(!Descendants.named("bwrap").isEmpty || program.errors.contains("without a sandbox"))
      program.send(signal: SIGTERM)
      _ = await program.finish(within: 60)
    }

    @Test("a kiosk has no way out but its key combination")
    func kiosk() async throws {
      let lab = try await WindowLab()
      let program = try await lab.open(["--virtual", "--kiosk"])
      let window = try await lab.window("Check a document")
      try await lab.press(["ctrl+w", "ctrl+q", "ctrl+shift+i", "ctrl+shift+d", "Escape", "F11"], in: window)
      try await Task.sleep(for: .seconds(1))
      #expect(program.isRunning)
      #expect(try await lab.windows("Inspector").isEmpty)
      try await lab.press(["ctrl+alt+shift+q"], in: window)
      #expect(await program.finish(within: 60).status == 8)
    }

    @Test("without a display, or with an address that must not be shown, it says what to do")
    func refusals() async throws {
      let lab = try await WindowLab()
      func open(_ arguments: [String], _ more: [String: String] = [:]) async throws -> ProgramRun {
        try await ProgramRun.tessera(
          ["open"] + arguments, environment: lab.environment.merging(more) { $1 }, timeout: 60)
      }
      let display = try await open(["--virtual", "--json"], ["DISPLAY": "", "WAYLAND_DISPLAY": ""])
      #expect(display.status == 3)
      #expect(try JSONValue(text: display.output)["error"]?["code"] == "NO_VIEW_CONTROLLER")
      #expect(display.errors.contains("DISPLAY"))
      for (arguments, words) in [
        (["http://shop.example"], "https"), (["http://127.0.0.1:1/"], "--debug"), (["file:///etc/passwd"], "https"),
        (["--request", "/proc/nonexistent"], "cannot be read"), (["--grant", "nonsense"], "grant"),
        (["--nonsense"], "nonsense"), (["--virtual", "http://shop.example"], "https"),
      ] {
        let run = try await open(arguments)
        #expect(run.status == 2, "\(arguments)")
        #expect(run.errors.contains(words), "\(arguments): \(run.errors)")
      }
      let request = lab.home.file("request.json")
      try #"{"disclosures": "surname"}"#.write(toFile: request, atomically: false, encoding: .utf8)
      let malformed = try await open(["--request", request])
      #expect(malformed.status == 2 && malformed.errors.contains("disclosures of the verification request"))
    }

    @Test("40 launches one after the other leave no process and no descriptor behind")
    func launches() async throws {
      let seen = try await WindowLab().run(["launches", "40"])
      #expect(seen["outcomes"] == ["cancelled": 40])
      let (before, after) = (seen["before"], seen["after"])
      // At most the process that all views share; it ends and starts again at times that nobody controls.
      #expect(after["processes"]?.elements.count ?? 9 <= 1)
      guard case .integer(let first)? = before["descriptors"], case .integer(let last)? = after["descriptors"] else {
        throw LabError(description: "\(seen.all)")
      }
      // That process, and threads of libraries that start late, have some. What each of the 32 launches between left
      // behind would be more.
      #expect(last - first < 16, "\(first), then \(last)")
    }
  }
}
