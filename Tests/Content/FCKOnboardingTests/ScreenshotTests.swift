import Foundation
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// What a user sees.
  @Suite("the look")
  struct ScreenshotTests {
    /// White on the author's blue, and the texts of the theme.
    private static let flow = #"""
      {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "padding": 24,
        "spacing": 16, "children": [
        {"id": "t", "type": "text", "content": "Tell us about you", "fontSize": 28, "fontWeight": "bold"},
        {"id": "name", "type": "input", "label": "Name", "required": true, "placeholder": "Your name"},
        {"id": "born", "type": "datepicker", "label": "Birthday", "required": true},
        {"id": "kids", "type": "number", "label": "Children", "showStepper": true},
        {"id": "news", "type": "toggle", "label": "Newsletter", "defaultValue": true},
        {"id": "one", "type": "choice", "label": "Goal", "required": true, "defaultValue": "x",
          "options": [{"id": "x", "label": "Learn"}, {"id": "y", "label": "Play"}]},
        {"id": "plain", "type": "input", "placeholder": "Without a label", "required": true},
        {"id": "bar", "type": "progressbar", "progress": 40, "barColor": "#FF00FF"},
        {"id": "go", "type": "button", "text": "Go on", "width": "fill", "backgroundColor": "#0000AA"}]}}]}
      """#

    @Test(
      "the author's colours and the theme's texts are drawn, in light and in dark",
      arguments: ["gtk", "html"], [false, true])
    func look(_ kind: String, _ isDark: Bool) async throws {
      let lab = try await WindowLab()
      let file = lab.home.file("flow.json")
      try Data(Self.flow.utf8).write(to: URL(fileURLWithPath: file))
      let program = try RunningProgram(
        ProgramRun.built("FCKScenarios"), ["show", file, kind] + (isDark ? ["dark"] : []), environment: lab.environment)
      let window = try await lab.window("Onboarding – Desk")
      // The button has no pixel of another colour but its text. The display receives a frame in parts; what is missing
      // is black.
      let screen = try await lab.screen("the button") { screen in
        screen.count(Self.button) > 5_000 && screen.count(Self.bar) > 500
          && screen.count(Self.missing, x: 4..<416, y: 60..<770) < 10_000
      }
      try await lab.keepPicture("fck-\(kind)-\(isDark ? "dark" : "light")", of: window)
      // The part of the window that is below its title bar.
      let colors = screen.colors(x: 4..<416, y: 60..<770)
      let (background, area) = try #require(colors.max { $0.value < $1.value })
      #expect(isDark ? background.lightness < 80 : background.lightness > 200, "\(background)")
      #expect(area > 50_000 && area < 300_000)
      // The texts: pixels with the contrast of a text to the background.
      let texts = colors.reduce(0) { $0 + (abs($1.key.lightness - background.lightness) > 150 ? $1.value : 0) }
      #expect(texts > 2_000, "\(texts)")
      #expect(colors.count > 50, "\(colors.count)")
      program.send(signal: SIGTERM)
      _ = await program.finish(within: 60)
    }

    private static let button = ScreenPicture.Color(0x00, 0x00, 0xAA)
    private static let missing = ScreenPicture.Color(0, 0, 0)
    private static let bar = ScreenPicture.Color(0xFF, 0x00, 0xFF)
  }
}
