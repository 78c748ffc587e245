import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.RampKitTests {
  /// `tessera flow run` as a user uses it, by the keyboard.
  @Suite("tessera flow run")
  struct FlowProgramTests {
    private func start(
      _ lab: WindowLab, _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> (program: RunningProgram, window: String) {
      let program = try RunningProgram(
        ProgramRun.tessera, ["flow", "run"] + arguments, environment: lab.environment.merging(environment) { $1 })
      let window = try await lab.window("– Tessera")
      return (program, window)
    }

    /// The pages of the sample, told apart by their colours.
    private enum Page: String {
      case welcome, choice, passport
      case read = "read document"

      private static let blue = ScreenPicture.Color(0x14, 0x50, 0x8C)
      private static let white = ScreenPicture.Color(0xFF, 0xFF, 0xFF)
      private static let green = ScreenPicture.Color(0x0F, 0x6A, 0x3A)

      func isShown(_ screen: ScreenPicture) -> Bool {
        let (blue, white) = (screen.count(Self.blue) > 15_000, screen.count(Self.white))
        return switch self {
        case .welcome: blue && white < 10_000
        // Three white buttons; three white fields.
        case .choice: blue && white > 45_000
        case .passport: blue && 20_000..<40_000 ~= white
        case .read: screen.count(Self.green) > 300
        }
      }
    }

    private func wait(for page: Page, _ lab: WindowLab) async throws {
      _ = try await lab.screen("the page “\(page.rawValue)”") { page.isShown($0) }
    }

    @Test("the sample leads through three pages to a document that was read by the bridge")
    func sample() async throws {
      let lab = try await WindowLab()
      let (program, window) = try await start(lab, ["--virtual", "--json"])
      try await wait(for: .welcome, lab)
      try await lab.keepPicture("flow-welcome", of: window)
      try await lab.press(["Tab", "Return"], in: window)
      try await wait(for: .choice, lab)
      try await lab.keepPicture("flow-choice", of: window)
      // The second answer, then the button after the third one.
      try await lab.press(["Tab", "Tab", "Return", "Tab", "Tab", "Return"], in: window)
      try await wait(for: .passport, lab)
      try await lab.keepPicture("flow-passport", of: window)
      // Document number, two dates, read; then finish.
      try await lab.press(["Tab", "Tab", "Tab", "Tab", "Return"], in: window)
      try await wait(for: .read, lab)
      try await lab.keepPicture("flow-read", of: window)
      try await lab.press(["Tab", "Return"], in: window)
      let run = await program.finish(within: 60)
      #expect(run.status == 0, "\(run.errors)")
      let result = try JSONValue(text: run.output.trimmingCharacters(in: .newlines))
      #expect(
        result == ["outcome": "finished", "answers": ["purpose": "bank", "outcome": "genuine"], "payload": .null])
    }

    @Test("Escape on the first page closes the flow, with the status 8")
    func escape() async throws {
      let lab = try await WindowLab()
      let (program, window) = try await start(lab, [])
      try await wait(for: .welcome, lab)
      try await lab.press(["Escape"], in: window)
      let run = await program.finish(within: 60)
      #expect(run.status == 8)
      #expect(run.output == "{\"purpose\":\"\"}\n")
      #expect(run.errors.contains("The flow was closed before its end."))
    }

    @Test("pages that hang are ended when the user presses a key, once more loaded, and then said")
    func hang() async throws {
      let lab = try await WindowLab()
      let file = lab.home.file("flow.json")
      let document = #"""
        {"onboardingId": "hang", "screens": [{"id": "a", "html": "x", "js": "setTimeout(() => { while (true) {} }, 1000)"}]}
        """#
      try Data(document.utf8).write(to: URL(fileURLWithPath: file))
      let (program, window) = try await start(lab, [file])
      try await eventually("The end of the program", every: .seconds(1)) {
        try? await lab.press(["a"], in: window)
        return !program.isRunning
      }
      let run = await program.finish(within: 60)
      #expect(run.status == 3)
      #expect(run.errors.contains("The pages of the flow ended unexpectedly."))
    }

    @Test("a file that is no flow, one without screens, and a grant without a name")
    func wrongFiles() async throws {
      let lab = try await WindowLab()
      for (document, arguments, text) in [
        ("{", [], "The text is not JSON"), (#"{"screens":[]}"#, [], "The flow has no screen"),
        (#"{"screens":[{"id":"a"}]}"#, ["--grant", "nfc"], "no “onboardingId”"),
        (#"{"screens":[{"id":"a"}]}"#, ["--grant", "everything"], "unknown domain"),
      ] {
        let file = lab.home.file("flow.json")
        try Data(document.utf8).write(to: URL(fileURLWithPath: file))
        let run = try await RunningProgram(
          ProgramRun.tessera, ["flow", "run", file] + arguments, environment: lab.environment
        ).finish(within: 60)
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains(text), "\(run.errors)")
      }
    }
  }
}
