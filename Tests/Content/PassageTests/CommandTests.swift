import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// `tessera-passage` at a shell.
  @Suite("Commands")
  struct CommandTests {
    @Test("open: no address is built in, and the token is never an argument")
    func usage() async throws {
      let lab = try await PassageLab()
      for (arguments, input, text) in [
        (["open"], "t", "does not know its servers"),
        (["open", "--ui-url", "https://a.example"], "t", "does not know"),
        (["open", "--ui-url", "http://a.example", "--api-url", "https://a.example"], "t", "uiUrl"),
        (["open", "--ui-url", "https://a.example", "--api-url", "https://a.example"], "", "no intent token"),
        (["open", "--ui-url", "https://a.example", "--api-url", "https://a.example"], "a b", "more than one"),
        (
          ["open", "--ui-url", "https://a.example", "--api-url", "https://a.example", "--token-file", "/x"], "",
          "cannot be read"
        ),
        (["open", "--token", "t"], "t", "--token"), (["session", "--descriptor", "2"], "", "not a socket"),
        (["session", "--descriptor", "77"], "", "not a socket"),
      ] {
        let run = try await lab.run(arguments, input: input)
        #expect(run.status == 2, "\(arguments): \(run.status) \(run.errors)")
        #expect(run.errors.contains(text), "\(arguments): \(run.errors)")
      }
    }

    @Test("open prints the callbacks as JSON lines, and closes at Control-C with a goodbye")
    func open() async throws {
      let lab = try await PassageLab()
      let controller = try await Controller()
      try controller.configure("/home.html")
      let file = lab.window.home.file("token")
      try Data((PassageLab.token() + "\n").utf8).write(to: URL(fileURLWithPath: file))
      let environment = lab.environment.merging(
        ["TESSERA_PASSAGE_UI_URL": controller.ui, "TESSERA_PASSAGE_API_URL": controller.address]) { $1 }
      let program = try RunningProgram(
        PassageLab.program, ["open", "--token-file", file], environment: environment)
      try await lab.answer(true, controller)
      try await controller.wait("the connection") { $0.contains { $0["event"] == "connect" } }
      try controller.emit("PROMPT_COMPLETE", ["key": "k", "value": "v"])
      _ = await program.wait(within: 30) { $0.output.contains("onPromptComplete") }
      program.send(signal: SIGINT)
      let run = await program.finish(within: 60)
      #expect(run.status == 130, "\(run.errors)")
      #expect(
        run.output.split(separator: "\n").map(String.init) == [
          #"{"callback":"onPromptComplete","value":{"key":"k","value":"v"}}"#,
          #"{"callback":"onExit","value":"programmatic_close"}"#,
        ])
      #expect(controller.events("socket").count { $0["name"] == "modalExit" } == 1)
      #expect(!run.errors.contains(PassageLab.token()))
    }

    @Test("without a display the program says so, with the status 3")
    func noDisplay() async throws {
      let lab = try await PassageLab()
      let arguments = ["open", "--ui-url", "https://a.example", "--api-url", "https://a.example"]
      let run = try await lab.run(arguments, input: "t", environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""])
      #expect(run.status == 3)
      #expect(run.errors.contains("no display"), "\(run.errors)")
    }

    @Test("a session by its host's death ends, with all its processes")
    @MainActor
    func hostDeath() async throws {
      let lab = try await PassageLab()
      let controller = try await Controller()
      try controller.configure("/home.html")
      let environment = lab.environment.merging(
        ["TESSERA_PASSAGE_UI_URL": controller.ui, "TESSERA_PASSAGE_API_URL": controller.address]) { $1 }
      let program = try RunningProgram(
        PassageLab.program, ["open"], input: PassageLab.token(), environment: environment)
      try await controller.wait("the configuration") { $0.contains { $0["event"] == "configuration" } }
      let processes = Descendants.all(of: program.processIdentifier)
      #expect(processes.count > 3)
      program.send(signal: SIGKILL)
      try await eventually { !processes.contains { kill($0, 0) == 0 && Self.runs($0) } }
      #expect(!processes.contains { Self.runs($0) })
    }

    private static func runs(_ process: pid_t) -> Bool {
      let state = Descendants.text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ").first
      return state != nil && state != "Z"
    }

    @Test("log and clear without anything")
    func empty() async throws {
      let lab = try await PassageLab()
      let log = try await lab.run(["log"])
      #expect(log.status == 0)
      #expect(log.output.isEmpty && log.errors.contains("Nothing was sent yet."))
      #expect(try await lab.run(["clear"]).status == 0)
    }

    @Test("the program does not load the libraries of readers, tokens, cameras and game pads")
    func libraries() async throws {
      let lab = try await PassageLab()
      // What the program itself names. WebKit needs some of these libraries on some systems.
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/readelf"), ["-d", PassageLab.program.path], environment: lab.environment
      ).finish(within: 60)
      #expect(run.output.contains("libwebkitgtk-6.0"))
      for library in ["pcsclite", "libnfc", "p11-kit", "tss2", "libevdev"] {
        #expect(!run.output.contains(library), "\(library)")
      }
    }
  }
}
