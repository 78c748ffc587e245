import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera flow check") struct FlowCommandTests {
    private func check(_ document: String, _ arguments: String...) async throws -> ProgramRun {
      let folder = try TemporaryFolder()
      let file = folder.file("flow.json")
      try Data(document.utf8).write(to: URL(fileURLWithPath: file))
      return try await ProgramRun.tessera(["flow", "check", file] + arguments)
    }

    @Test("a flow without errors has the status 0")
    func right() async throws {
      let run = try await check(#"{"screens": [{"id": "a", "html": "x"}], "variables": {"state": [{"name": "v"}]}}"#)
      #expect(run.status == 0)
      #expect(run.output.hasSuffix(": a flow with 1 screen and 1 variable\n"))
    }

    @Test("errors are listed with line and column")
    func wrong() async throws {
      let document = "{\"screens\": [\n  {\"html\": \"x\"}\n]}"
      let run = try await check(document)
      #expect(run.status == 5)
      #expect(run.output.contains("flow.json:2:3: error: The screen has no “id”, so it is left out. (screens[0])\n"))
      let json = try JSONValue(text: try await check(document, "--json").output.trimmingCharacters(in: .newlines))
      #expect(json["kind"] == "pages" && json["valid"] == false && json["screens"] == 0)
      guard case .array(let problems)? = json["problems"] else { throw JSONShape() }
      #expect(
        problems.first == [
          "severity": "error", "message": "The screen has no “id”, so it is left out.", "path": "screens[0]", "line": 2,
          "column": 3,
        ])
    }

    @Test("a text that is no JSON, and a file that is missing")
    func noFlow() async throws {
      let run = try await check("{\"screens\":\n[}")
      #expect(run.status == 5)
      #expect(run.output.contains(":2:2: error: The text is not JSON"))
      #expect(try await ProgramRun.tessera(["flow", "check", "/nowhere.json"]).status == 2)
    }

    // MARK: - Native screens

    private static let native = """
      {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"type": "stack", "children": [
        {"type": "carousel"}, {"type": "text"},
        {"type": "button", "text": "Done", "action": "complete"}
      ]}}], "variables": [{"id": "v", "key": "k", "name": "n", "type": "text", "defaultValue": ["any"]}]}
      """

    @Test("the document tells that its screens are native")
    func native() async throws {
      let run = try await check(Self.native)
      #expect(run.status == 5)
      let lines = run.output.split(separator: "\n").map { $0.drop { $0 != ":" } }
      #expect(
        lines == [
          ":2:3: warning: This version knows no element of the type “carousel”, so nothing is drawn. "
            + "(screens[0].root.children[0])",
          ":2:25: error: The text has no “content”, so it is left out. (screens[0].root.children[1])",
          ": a flow with 1 screen and 1 variable",
        ])
      let json = try JSONValue(text: try await check(Self.native, "--json").output.trimmingCharacters(in: .newlines))
      #expect(json["kind"] == "native" && json["valid"] == false && json["screens"] == 1)
      guard case .array(let problems)? = json["problems"] else { throw JSONShape() }
      #expect(
        problems.last == [
          "severity": "error", "message": "The text has no “content”, so it is left out.",
          "path": "screens[0].root.children[1]", "line": 2, "column": 25,
        ])
    }

    @Test("the answer of a server is checked as it came, and warnings are no errors")
    func answer() async throws {
      let flow = Self.native.replacingOccurrences(of: #", {"type": "text"}"#, with: "")
      let run = try await check(#"{"flowId": "f", "message": null, "config": \#(flow)}"#)
      #expect(run.status == 0)
      #expect(run.output.contains(": warning: ") && run.output.contains("(config.screens[0].root.children[0])\n"))
      #expect(run.output.hasSuffix(": a flow with 1 screen and 1 variable\n"))
      let none = try await check(#"{"flowId": "f", "config": null}"#, "--json")
      #expect(none.status == 5)
      let json = try JSONValue(text: none.output.trimmingCharacters(in: .newlines))
      #expect(json["kind"] == "native" && json["valid"] == false && json["screens"] == .null)
    }

    @Test("a document beyond the limit of native screens is refused as such")
    func tooLarge() async throws {
      let large = Self.native + String(repeating: " ", count: 2 << 20)
      let run = try await check(large)
      #expect(run.status == 5)
      #expect(run.output.contains(":1:1: error: The document of the flow has more than 2 MiB.\n"))
    }

    private struct JSONShape: Error {}
  }
}
