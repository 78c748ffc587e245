import Foundation
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// `tessera flow run` with a flow of native screens, as a user uses it.
  @Suite("tessera flow run")
  struct FlowRunTests {
    private static let flow = #"""
      {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
        {"id": "name", "type": "input", "variableKey": "name"},
        {"id": "go", "type": "button", "text": "Go", "action": "complete"}]}}]}
      """#

    private func file(_ lab: WindowLab, _ document: String = flow) throws -> String {
      let file = lab.home.file("flow.json")
      try Data(document.utf8).write(to: URL(fileURLWithPath: file))
      return file
    }

    @Test(
      "the kind is told by the document, and the answers are printed as for other flows", arguments: [[], ["--html"]])
    func answers(_ options: [String]) async throws {
      let lab = try await WindowLab()
      let program = try RunningProgram(
        ProgramRun.tessera, ["flow", "run", try file(lab), "--json"] + options, environment: lab.environment)
      let window = try await lab.window("Onboarding – Tessera")
      if !options.isEmpty {
        // Keys wait for a window, but not for a page.
        _ = try await lab.screen("the button of the page") { $0.count(ScreenPicture.Color(0x00, 0x7A, 0xFF)) > 500 }
        try await lab.press(["Tab"], in: window)
      }
      try await lab.type("Ada", in: window)
      try await lab.press(["Tab", "Return"], in: window)
      let run = await program.finish(within: 60)
      #expect(run.status == 0, "\(run.errors)")
      let result = try JSONValue(text: run.output.trimmingCharacters(in: .newlines))
      #expect(result == ["outcome": "finished", "answers": ["name": "Ada"], "payload": .null])
    }

    @Test("a closed window has the status 8 and the answers so far")
    func closed() async throws {
      let lab = try await WindowLab()
      let program = try RunningProgram(
        ProgramRun.tessera, ["flow", "run", try file(lab)], environment: lab.environment)
      let window = try await lab.window("Onboarding – Tessera")
      try await lab.type("A", in: window)
      try await lab.press(["Escape"], in: window)
      let run = await program.finish(within: 60)
      #expect(run.status == 8 && run.output == "{\"name\":\"A\"}\n", "\(run.output) \(run.errors)")
      #expect(run.errors.contains("The flow was closed before its end."))
    }

    @Test("a grant, a flow without screens, and --html with pages are refused")
    func refused() async throws {
      let lab = try await WindowLab()
      for (document, arguments, text) in [
        (Self.flow, ["--grant", "nfc"], "uses no hardware"),
        (#"{"config": {"version": 1, "screens": []}}"#, [], "screen"),
        (#"{"screens": [{"id": "a", "html": "x"}]}"#, ["--html"], "web pages already"),
      ] {
        let run = try await RunningProgram(
          ProgramRun.tessera, ["flow", "run", try file(lab, document)] + arguments, environment: lab.environment
        ).finish(within: 60)
        #expect(run.status == 2 && run.errors.contains(text), "\(run.status) \(run.errors)")
      }
    }
  }
}
