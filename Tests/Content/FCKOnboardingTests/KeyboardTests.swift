import Foundation
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// A user without a pointing device, in front of a window.
  @Suite("the keyboard")
  struct KeyboardTests {
    private static let flow = #"""
      {"version": 1, "screens": [
        {"id": "hello", "type": "informational", "root": {"id": "r", "type": "stack",
          "tapBehaviors": [{"type": "navigate", "targetScreenId": "form"}],
          "children": [{"id": "t", "type": "text", "content": "Press Enter"}]}},
        {"id": "form", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "name", "type": "input", "label": "Name", "required": true, "variableKey": "name"},
          {"id": "kids", "type": "number", "label": "Children", "max": 9},
          {"id": "news", "type": "toggle", "label": "News", "variableKey": "news"},
          {"id": "one", "type": "choice", "label": "One",
            "options": [{"id": "x", "label": "X"}, {"id": "y", "label": "Y"}]},
          {"id": "more", "type": "choice", "label": "Several", "selectionMode": "multiple",
            "options": [{"id": "p", "label": "P"}, {"id": "q", "label": "Q"}]},
          {"id": "go", "type": "button", "text": "Go on", "action": "next"}]}},
        {"id": "end", "type": "informational", "root": {"id": "r", "type": "stack", "children": [
          {"id": "fin", "type": "button", "text": "Finish", "action": "complete"}]}}]}
      """#

    private func start(
      _ lab: WindowLab, _ kind: String, _ flow: String = flow
    ) async throws -> (program: RunningProgram, window: String) {
      let file = lab.home.file("flow.json")
      try Data(flow.utf8).write(to: URL(fileURLWithPath: file))
      let program = try RunningProgram(
        ProgramRun.built("FCKScenarios"), ["show", file, kind], environment: lab.environment)
      let window = try await lab.window("Onboarding – Desk")
      try await screen(0, of: program)
      return (program, window)
    }

    /// Waits until the program says that a screen takes keys. Each screen is told when it is shown.
    private func screen(_ index: Int64, of program: RunningProgram) async throws {
      let isShown = await program.wait {
        Observations($0.output).values("screen").last == .integer(index) || !$0.isRunning
      }
      try #require(isShown && program.isRunning, "the screen \(index): \(program.output) \(program.errors)")
    }

    @Test(
      "a whole flow by the keyboard brings the same answers from widgets and from the page", arguments: ["gtk", "html"])
    func run(_ kind: String) async throws {
      let lab = try await WindowLab()
      let (program, window) = try await start(lab, kind)
      // GTK's inspector does not open: its question would take all keys.
      try await lab.press(["ctrl+shift+i", "ctrl+shift+d"], in: window)
      // The first screen can be pressed as a whole.
      if kind == "html" { try await lab.press(["Tab"], in: window) }
      try await lab.press(["Return"], in: window)
      try await screen(1, of: program)
      // In the page, the focus is on the document, from where Tab leads to the first field.
      if kind == "html" { try await lab.press(["Tab"], in: window) }
      try await lab.type("Ada", in: window)
      try await lab.press(["Tab"], in: window)
      try await lab.type("3", in: window)
      // A step from the number that was typed.
      try await lab.press(["Up"], in: window)
      try await lab.press(["Tab", "space", "Tab", "space", "Down"], in: window)
      // The arrow key moves in the group; in GTK it does not select.
      if kind == "gtk" { try await lab.press(["space"], in: window) }
      try await lab.press(["Tab", "space", "Tab", "Tab", "Return"], in: window)
      try await screen(2, of: program)
      if kind == "html" { try await lab.press(["Tab"], in: window) }
      try await lab.press(["Return"], in: window)
      let run = await program.finish(within: 60)
      let seen = Observations(run.output)
      #expect(run.status == 0, "\(run.errors)")
      #expect(seen["outcome"] == "completed")
      #expect(
        seen["answers"] == ["name": "Ada", "kids": "4", "news": "true", "one": "Y", "more": "P"],
        "\(seen["answers"].text)")
    }

    @Test("what cannot be read stays in the fields of a page, is told, and keeps the user on the screen")
    func unreadable() async throws {
      let flow = #"""
        {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "n", "type": "number", "label": "Number", "required": true, "max": 9000},
          {"id": "d", "type": "datepicker", "label": "Day"},
          {"id": "t", "type": "datepicker", "label": "Time", "mode": "time", "required": true},
          {"id": "x", "type": "input", "label": "Text", "required": true},
          {"id": "go", "type": "button", "text": "Go on", "action": "next"}]}},
          {"id": "b", "type": "informational", "root": {"id": "r", "type": "stack", "children": [
          {"id": "end", "type": "button", "text": "Finish", "action": "complete"}]}}]}
        """#
      let lab = try await WindowLab()
      let (program, window) = try await start(lab, "html", flow)
      func told(_ messages: [JSONValue]) async throws {
        let isTold = await program.wait {
          Observations($0.output).values("told").last == .array(messages) || !$0.isRunning
        }
        try #require(isTold && program.isRunning, "\(program.output) \(program.errors)")
      }
      let number: JSONValue = "Enter a number. This cannot be read as one: write it like 1234.5."
      let day: JSONValue = "This cannot be read as a date. Enter a complete date that exists."
      let time: JSONValue = "This cannot be read as a time. Enter a complete time."
      try await lab.press(["Tab"], in: window)
      try await lab.type("1,000", in: window)
      try await lab.press(["Tab"], in: window)
      try await told([number])
      // Month, day and year are parts of the field in WebKitGTK.
      func fill(_ parts: [String]) async throws {
        for part in parts {
          try await lab.type(part, in: window)
          try await lab.press(["Tab"], in: window)
        }
      }
      try await fill(["2", "30", "1990"])
      try await told([number, day])
      try await lab.type("8", in: window)
      try await lab.press(["Tab", "Tab"], in: window)
      try await told([number, day, time])
      try await lab.press(["Tab", "Return"], in: window)
      // The press is blocked, and the first field has the focus.
      try await told([number, day, time, "Fill in this field."])
      try await lab.press(["ctrl+a"], in: window)
      try await fill(["1000", "2", "28", "1990", "8", "30", "Ada"])
      try await told([])
      try await lab.press(["Return"], in: window)
      try await screen(1, of: program)
      try await lab.press(["Tab", "Return"], in: window)
      let run = await program.finish(within: 60)
      let seen = Observations(run.output)
      #expect(run.status == 0 && seen["outcome"] == "completed", "\(run.errors)")
      #expect(
        seen["answers"]
          == ["n": "1000", "d": "1990-02-28T00:00:00Z", "t": "1970-01-01T08:30:00Z", "x": "Ada"],
        "\(seen["answers"].text)")
    }

    @Test("a part of a date that a page lost is told once, and does not keep the user on the screen")
    func partsOfDates() async throws {
      let flow = #"""
        {"version": 1, "screens": [{"id": "a", "type": "informational", "root": {"id": "r", "type": "stack", "children": [
          {"id": "go", "type": "button", "text": "Go on", "action": "next"},
          {"id": "end", "type": "button", "text": "Finish", "action": "complete"}]}},
          {"id": "b", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "end", "type": "button", "text": "Finish", "action": "complete"},
          {"id": "d", "type": "datepicker", "label": "Day"}, {"id": "e", "type": "datepicker", "label": "Other"},
          {"id": "last", "type": "button", "text": "Nothing"}]}}]}
        """#
      let lab = try await WindowLab()
      let (program, window) = try await start(lab, "html", flow)
      try await lab.press(["Tab", "Return"], in: window)
      try await screen(1, of: program)
      try await lab.press(["Tab", "Tab"], in: window)
      for _ in 0..<2 {
        try await lab.type("2", in: window)
        try await lab.press(["Tab", "Tab", "Tab"], in: window)
      }
      try await lab.press(["alt+Left"], in: window)
      try await screen(0, of: program)
      // The end leads to the fields, which are empty now.
      try await lab.press(["Tab", "Tab", "Return"], in: window)
      try await screen(1, of: program)
      let day: JSONValue = "This cannot be read as a date. Enter a complete date that exists."
      let isTold = await program.wait {
        Observations($0.output).values("told").last == .array([day, day]) || !$0.isRunning
      }
      try #require(isTold && program.isRunning, "\(program.output) \(program.errors)")
      // The focus was in the first one only.
      try await lab.press(["shift+Tab", "Return"], in: window)
      let run = await program.finish(within: 60)
      #expect(run.status == 0 && Observations(run.output)["outcome"] == "completed", "\(run.output) \(run.errors)")
    }

    @Test("Escape leads back, and from the first screen out of the flow", arguments: ["gtk", "html"])
    func escape(_ kind: String) async throws {
      let lab = try await WindowLab()
      let (program, window) = try await start(lab, kind)
      if kind == "html" { try await lab.press(["Tab"], in: window) }
      try await lab.press(["Return"], in: window)
      try await screen(1, of: program)
      try await lab.press(["alt+Left"], in: window)
      try await screen(0, of: program)
      try await lab.press(["Escape"], in: window)
      let run = await program.finish(within: 60)
      #expect(run.status == 0, "\(run.errors)")
      #expect(Observations(run.output)["outcome"] == "skipped")
    }
  }
}
