import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// The consent question above everything that a page opens meanwhile.
  @Suite("The question")
  struct QuestionTests {
    @Test("a sheet that the page opens meanwhile is below the question, and gets no keys")
    @MainActor
    func above() async throws {
      let session = try await AskedSession()
      let (lab, passage, window) = (session.lab, session.passage, session.window)
      try await passage.wait(until: "document.readyState === 'complete'", in: .ui)
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
      #expect(try await session.callbacks.exit() == .userAction)
      #expect(session.controller.events("visit").isEmpty && session.controller.events("result").isEmpty)
    }

    /// Fields whose choice is a window of WebKit.
    private static let fields = [
      "<select id='field'>" + String(repeating: "<option>One</option><option>Two</option>", count: 20) + "</select>",
      "<input id='field' type='color' value='#102030'>",
    ]

    /// Presses the space bar when the page has the focus: a menu closes when its window receives the focus after the key.
    @MainActor
    private static func openMenu(_ lab: PassageLab, _ passage: Passage) async throws {
      let window = try await lab.shown()
      try await lab.window.press(["Shift_L"], in: window)
      try await passage.wait(until: "document.hasFocus() && document.activeElement === field", in: .ui)
      try await lab.window.press(["space"], in: window)
    }

    @Test("the menu or colour chooser of a page is gone when the question comes, and no other one opens above it")
    @MainActor
    func menus() async throws {
      for field in Self.fields {
        var windows: Set<String> = []
        let session = try await AskedSession { lab, passage in
          try await passage.wait(until: "document.readyState === 'complete'", in: .ui)
          try await passage.injectJavaScript(
            """
            document.querySelector("main").innerHTML = \(JSONValue.string(field).text);
            window.field = document.querySelector("#field");
            window.changes = 0;
            for (const name of ["input", "change"]) { field.addEventListener(name, () => { changes += 1; }); }
            field.focus();
            1
            """, in: .ui)
          windows = Set(try await lab.window.windows(""))
          try await Self.openMenu(lab, passage)
          try await lab.wait("a menu") { !$0.isSubset(of: windows) }
        }
        let (lab, passage) = (session.lab, session.passage)
        try await lab.wait("no menu") { $0 == windows }
        // A script of the program has the rights of a click. WebKit 2.50 has this function for the colour only.
        try await passage.injectJavaScript("field.showPicker?.(); 1", in: .ui)
        // The keys are the question's.
        try await lab.window.press(["Tab", "Return"], in: session.window)
        try await session.controller.wait("the visit") { $0.contains { $0["event"] == "visit" } }
        #expect(Set(try await lab.window.windows("")) == windows, "\(field.prefix(7))")
        #expect(try await passage.injectJavaScript("changes", in: .ui) == 0)
        // The user has it again.
        try await Self.openMenu(lab, passage)
        try await lab.wait("a menu again") { !$0.isSubset(of: windows) }
        passage.close()
        #expect(try await session.callbacks.exit() == .programmaticClose)
      }
    }
  }

  private enum ShownColor {
    /// The ground of `ui.html`.
    static let ground = ScreenPicture.Color(0xEE, 0xF3, 0xFB)
  }
}
