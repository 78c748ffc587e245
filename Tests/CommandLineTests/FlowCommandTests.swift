import Foundation
import Tessera
import TestSupport
import Testing

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
    #expect(json["valid"] == false && json["screens"] == 0)
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

  private struct JSONShape: Error {}
}
