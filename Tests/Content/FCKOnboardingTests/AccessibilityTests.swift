import Foundation
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

/// The programs that the tests of accessibility need.
enum AssistiveTechnology {
  private static let files = [
    "/usr/bin/dbus-run-session", "/usr/libexec/at-spi-bus-launcher", "/usr/lib/python3/dist-packages/gi",
  ]

  /// In continuous integration a missing program is a failure, elsewhere the tests are skipped.
  static let isEnabled =
    files.allSatisfy { FileManager.default.fileExists(atPath: $0) }
    || ProcessInfo.processInfo.environment["CI"] == "true"
}

extension RealPrograms {
  /// What assistive technology finds in the window (AT-SPI), by `accessible.py`.
  @Suite(
    "accessibility",
    .enabled(if: AssistiveTechnology.isEnabled, "apt-get install python3-gi gir1.2-atspi-2.0 at-spi2-core"))
  struct AccessibilityTests {
    /// What assistive technology is told of one widget.
    struct Object {
      let role: String
      let name: String
      let description: String
      let states: [String]
      let actions: [String]
    }

    @Test("every control has its role and its name, and pictures have their description")
    func roles() async throws {
      let window = try await AccessibleWindow(SurfaceTests.sample("fck-flow-all-elements"))
      let objects = try await window.objects { $0.contains { $0.name == "Name" && $0.states.contains("focused") } }
      await window.end()
      for (role, name) in [
        ("label", "Tell us about you"), ("image", "A friendly robot"), ("text", "Name"), ("text", "E-mail"),
        ("text", "Phone"), ("spin button", "Children"), ("check box", "Newsletter"), ("push button", "Birthday"),
        ("panel", "Goal"), ("radio button", "Learn"), ("radio button", "Play"), ("check box", "Music"),
        ("check box", "Sport"), ("progress bar", "Progress"), ("push button", "Continue"),
      ] {
        #expect(objects.contains { $0.role == role && $0.name == name }, "no \(role) with the name \(name)")
      }
      let name = try #require(objects.first { $0.role == "text" && $0.name == "Name" })
      #expect(name.description == "Required")
      // The mark behind the label says the same, to the eyes only.
      #expect(!objects.contains { $0.name.contains("*") || $0.description.contains("*") })
      let learn = try #require(objects.first { $0.name == "Learn" })
      #expect(learn.states.contains("checked"))
      let button = try #require(objects.first { $0.name == "Continue" })
      #expect(button.actions == ["click"])
    }

    @Test("what is wrong with a field is part of its description")
    func problems() async throws {
      let file = try TemporaryFolder()
      let path = file.file("flow.json")
      let flow = #"""
        {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "name", "type": "input", "label": "Name", "required": true},
          {"id": "go", "type": "button", "text": "Go", "action": "next"}]}}]}
        """#
      try Data(flow.utf8).write(to: URL(fileURLWithPath: path))
      let window = try await AccessibleWindow(path)
      try await window.press(["Tab", "Return"])
      let objects = try await window.objects { objects in
        ["focused", "invalid"].contains { state in objects.contains { $0.states.contains(state) } }
          && objects.contains { $0.name == "Fill in this field." }
      }
      await window.end()
      let name = try #require(objects.first { $0.role == "text" && $0.name == "Name" })
      #expect(name.description == "Required. Fill in this field.")
      #expect(name.states.contains("focused"))
      #expect(objects.contains { $0.role == "label" && $0.name == "Fill in this field." })
    }
  }
}

/// A flow in a window with a session bus of its own, and the program that reads it.
private final class AccessibleWindow {
  typealias Object = RealPrograms.AccessibilityTests.Object

  private static let title = "Onboarding – Desk"
  private let lab: WindowLab
  private let program: RunningProgram
  private let input = Pipe()
  private let window: String
  private var readings = 0

  init(_ flow: String) async throws {
    lab = try await WindowLab()
    let script = Fixtures.tests.appendingPathComponent("Content/FCKOnboardingTests/accessible.py").path
    let command = #""$1" show "$2" gtk & program=$!; /usr/bin/python3 "$3" "$4"; kill $program"#
    program = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/dbus-run-session"),
      ["--", "/bin/sh", "-c", command, "sh", ProgramRun.built("FCKScenarios").path, flow, script, Self.title],
      standardInput: input, environment: lab.environment)
    window = try await lab.window(Self.title)
    let isShown = await program.wait { Observations($0.output)["screen"] == 0 || !$0.isRunning }
    try #require(isShown && program.isRunning, "\(program.output) \(program.errors)")
  }

  func press(_ keys: [String]) async throws { try await lab.press(keys, in: window) }

  /// Reads the window until the condition is true, and returns its objects, in their order.
  func objects(until condition: ([Object]) -> Bool) async throws -> [Object] {
    let deadline = Date.now.addingTimeInterval(180)
    var objects: [Object] = []
    while Date.now < deadline, program.isRunning {
      objects = try await read()
      if condition(objects) { return objects }
    }
    throw LabError(
      description: "the window does not become as expected: \(objects.map { "\($0.role) \($0.name) \($0.states)" }) "
        + program.errors)
  }

  private func read() async throws -> [Object] {
    readings += 1
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    let number = readings
    let isRead = await program.wait { $0.output.contains("{\"reading\": \(number)}") || !$0.isRunning }
    guard isRead else { throw LabError(description: "the window was not read: \(program.errors)") }
    // The lines of this reading are behind the end of the one before.
    let lines = program.output.split(separator: "\n").filter { $0.hasPrefix("{") }
    let start = lines.lastIndex { $0 == "{\"reading\": \(number - 1)}" }.map { $0 + 1 } ?? 0
    return lines[start...].compactMap { line in
      guard let value = try? JSONValue(text: String(line)), let role = value["role"]?.stringValue else { return nil }
      return Object(
        role: role, name: value["name"]?.stringValue ?? "", description: value["description"]?.stringValue ?? "",
        states: (value["states"] ?? .null).texts, actions: (value["actions"] ?? .null).texts)
    }
  }

  func end() async {
    try? input.fileHandleForWriting.close()
    _ = await program.finish(within: 60)
  }
}
