import Passage
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension PassageTests {
  /// The consent question above everything that a page opens meanwhile.
  @Suite("The question")
  struct QuestionTests {
    @Test("a sheet that the page opens meanwhile is below the question, and gets no keys")
    @MainActor
    func above() async throws {
      let lab = try await PassageLab()
      let controller = try await Controller()
      try controller.configure("/home.html")
      let callbacks = Callbacks()
      let passage = lab.passage(controller)
      passage.open(callbacks.options(PassageLab.token()))
      let window = try await lab.question()
      let before = try await lab.window.screen("the question") { $0.count(ShownColor.ground) == 0 }
      // Of several calls each has an answer after what it did.
      for script in [
        "passage.showBottomSheetModal({title: 'Allow it?', showInput: true, description: 'Press Return.'}); 1",
        "addEventListener('keydown', () => { window.stolen = true; }, true); window.focus(); 1",
        "passage.setTitle('Passage'); 1",
      ] { try await passage.injectJavaScript(script, in: .ui) }
      // The script of the third party's page needs consent.
      await #expect(throws: Failure.self) { try await passage.injectJavaScript("1", in: .automation) }
      // Another part of the window would show in place of the question's ground.
      let all = before.colors(x: 0..<before.width, y: 0..<before.height)
      let ground = try #require(all.max { $0.value < $1.value })
      _ = try await lab.window.screen("the question, still") { $0.count(ground.key) > ground.value * 95 / 100 }
      #expect(try await lab.question() == window)
      // Tab moves between the two buttons only.
      try await lab.window.press(["Tab", "Tab", "a"], in: window)
      #expect(try await passage.injectJavaScript("window.stolen === true", in: .ui) == false)
      try await lab.window.press(["Return"], in: window)
      #expect(try await callbacks.exit() == .userAction)
      #expect(controller.events("visit").isEmpty && controller.events("result").isEmpty)
    }
  }

  private enum ShownColor {
    /// The ground of `ui.html`.
    static let ground = ScreenPicture.Color(0xEE, 0xF3, 0xFB)
  }
}
