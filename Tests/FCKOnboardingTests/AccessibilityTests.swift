import Foundation
import TesseraBridge
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

extension FCKOnboardingTests {
  /// What assistive technology finds in the window (AT-SPI), by `accessible.py`.
  @Suite(
    "accessibility",
    .enabled(if: AssistiveTechnology.isEnabled, "apt-get install python3-gi gir1.2-atspi-2.0 at-spi2-core"))
  struct AccessibilityTests {
    private struct Object {
      let role: String
      let name: String
      let description: String
      let states: [String]
      let actions: [String]
    }

    /// The objects of a window, in their order.
    ///
    /// - Parameter keys: what the person presses before.
    private func objects(_ file: String, keys: [String] = []) async throws -> [Object] {
      let lab = try await WindowLab()
      let script = Fixtures.tests.appendingPathComponent("FCKOnboardingTests/accessible.py").path
      let command = #""$1" show "$2" gtk & program=$!; /usr/bin/python3 "$3" "Onboarding – Desk" 8; kill $program"#
      let program = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/dbus-run-session"),
        ["--", "/bin/sh", "-c", command, "sh", ProgramRun.built("FCKScenarios").path, file, script],
        environment: lab.environment)
      let window = try await lab.window("Onboarding – Desk")
      try await Task.sleep(for: .seconds(2))
      for key in keys {
        try await lab.press([key], in: window)
        try await Task.sleep(for: .milliseconds(600))
      }
      let run = await program.finish(within: 120)
      return run.output.split(separator: "\n").compactMap { line in
        guard let value = try? JSONValue(text: String(line)), let role = value["role"]?.stringValue else { return nil }
        return Object(
          role: role, name: value["name"]?.stringValue ?? "", description: value["description"]?.stringValue ?? "",
          states: (value["states"] ?? .null).texts, actions: (value["actions"] ?? .null).texts)
      }
    }

    @Test("every control has its role and its name, and pictures have their description")
    func roles() async throws {
      let objects = try await objects(SurfaceTests.sample("fck-flow-all-elements"))
      for (role, name) in [
        ("label", "Tell us about you"), ("image", "A friendly robot"), ("text", "Name"), ("text", "E-mail"),
        ("text", "Phone"), ("spin button", "Children"), ("check box", "Newsletter"), ("push button", "Birthday"),
        ("panel", "Goal"), ("radio button", "Learn"), ("radio button", "Play"), ("check box", "Music"),
        ("check box", "Sport"), ("progress bar", "Progress"), ("push button", "Continue"),
      ] {
        #expect(objects.contains { $0.role == role && $0.name == name }, "no \(role) with the name \(name)")
      }
      let name = try #require(objects.first { $0.role == "text" && $0.name == "Name" })
      #expect(name.states.contains("focused") && name.description == "Required")
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
      let objects = try await objects(path, keys: ["Tab", "Return"])
      let name = try #require(objects.first { $0.role == "text" && $0.name == "Name" })
      #expect(name.description == "Required. Fill in this field.")
      #expect(name.states.contains("focused"))
      #expect(objects.contains { $0.role == "label" && $0.name == "Fill in this field." })
    }
  }
}
