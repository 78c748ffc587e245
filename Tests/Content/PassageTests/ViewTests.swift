import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// Which view the user sees, and the way back (Passage.md, rules 9 and 14).
  @Suite("The two views")
  struct ViewTests {
    /// Of `ui.html` and `colors.html`.
    private static let ui = ScreenPicture.Color(0xEE, 0xF3, 0xFB)
    private static let left = ScreenPicture.Color(0xC0, 0x20, 0x40)
    private static let right = ScreenPicture.Color(0x20, 0x50, 0x80)

    @Test("one view is opaque, and the page of the other one goes on as a visible page")
    @MainActor
    func visibility() async throws {
      let session = try await ShownSession("/colors.html")
      let frames = """
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.visibilityState))))
        """
      func expectBothVisible() async throws {
        for view in [PassageView.ui, .automation] {
          #expect(try await session.script(frames, in: view) == "visible", "\(view)")
        }
      }
      // An opaque view has the exact colours of its page.
      try await session.lab.see(Self.ui, atLeast: 300_000)
      try await session.lab.see(Self.left, atMost: 0)
      try await expectBothVisible()
      try await session.showAutomation()
      try await session.lab.see(Self.left, atLeast: 150_000)
      try await session.lab.see(Self.right, atLeast: 150_000)
      try await session.lab.see(Self.ui, atMost: 0)
      try await expectBothVisible()
      try session.controller.emit("connection", ["userActionRequired": false])
      try await session.callbacks.wait("the UI view") { $0.views == [.automation, .ui] }
      try await session.lab.see(Self.ui, atLeast: 300_000)
      try await session.lab.see(Self.left, atMost: 0)
      #expect(session.callbacks.views == [.automation, .ui])
      try await session.close()
    }

    @Test("the user goes back where the program has not loaded a page, and only in the automation view")
    @MainActor
    func back() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      func path() async throws -> JSONValue { try await session.script("location.pathname + location.search") }
      func states(_ page: String) -> Int {
        controller.events("state").count { $0["body"]?["url"]?.stringValue == controller.site + page }
      }
      func follow(_ visits: Int) async throws {
        try await session.script("document.querySelector('#next').click(); 1")
        try await controller.wait("the next page") { $0.count { $0["path"] == "/next.html" } == visits }
        try await session.wait(until: "document.title === 'Next' && document.readyState === 'complete'")
      }
      // There is no page before the first one.
      try await session.showAutomation()
      try await session.press(["alt+Left"], then: "a")
      #expect(try await path() == "/home.html")
      // There is one, but the user sees the UI view.
      try await follow(1)
      try controller.emit("connection", ["userActionRequired": false])
      try await session.callbacks.wait("the UI view") { $0.views.last == .ui }
      try await session.press(["alt+Left"], then: "b", in: .ui)
      #expect(try await path() == "/next.html")
      // The user sees it.
      try await session.showAutomation()
      let told = states("/home.html")
      try await session.noteKeys()
      try await session.lab.window.press(["alt+Left"], in: try await session.lab.shown())
      try await session.wait(until: "document.title === 'Third Party'")
      try await session.press(["alt+Left"], then: "c")
      #expect(try await path() == "/home.html")
      // The button does what the keys do.
      try await follow(2)
      try await session.lab.clickBack(in: try await session.lab.shown())
      try await session.wait(until: "document.title === 'Third Party'")
      // A page that the program loads is not left, and has none before it.
      try await follow(3)
      try await session.beginHeldPage("c-1")
      // No script runs now. The window takes what the user does in its order: the close button follows the keys.
      let window = try await session.lab.shown()
      try await session.lab.window.press(["alt+Left"], in: window)
      try await session.lab.clickClose(in: window)
      try await session.callbacks.wait("the UI view") { $0.views.last == .ui }
      try controller.tell(["do": "release"])
      let loaded = try await controller.result("c-1")
      #expect(loaded["data"]?["url"] == .string(controller.site + "/held"))
      try await session.script(
        "webkit.messageHandlers.passageWebView.postMessage({type: 'CLOSE_CANCELLED'}); 1", in: .ui)
      try await session.callbacks.wait("the automation view") { $0.views.last == .automation }
      try await session.press(["alt+Left"], then: "e")
      #expect(try await path() == "/held")
      // Going back is the user's way, which the server is not told.
      #expect(states("/home.html") == told)
      #expect(states("/held") == 2)
      try await session.close()
    }

    @Test("a session by the keyboard alone")
    @MainActor
    func keyboard() async throws {
      // The user agreed by the keyboard.
      let session = try await ShownSession()
      try await session.showAutomation()
      let window = try await session.lab.shown()
      // The field, the password, the button, and the link.
      try await session.lab.window.press(["Tab"], in: window)
      try await session.wait(until: "document.activeElement?.id === 'name'")
      try await session.lab.window.type("Ada", in: window)
      try await session.lab.window.press(["Tab", "Tab", "space"], in: window)
      try await session.wait(until: "document.querySelector('#count').textContent === '1'")
      #expect(try await session.script("document.querySelector('#name').value") == "Ada")
      try await session.lab.window.press(["Tab", "Return"], in: window)
      try await session.wait(until: "document.title === 'Next'")
      try await session.wait(until: "document.readyState === 'complete'")
      try await session.lab.window.press(["alt+Left"], in: window)
      try await session.wait(until: "document.title === 'Third Party'")
      // The sheet takes the keys.
      try await session.script(
        #"passage.showBottomSheetModal({title: "Where is it?", showInput: true}); 1"#, in: .ui)
      try await session.seeSheet()
      try await session.lab.window.type(session.controller.site + "/home.html?keyboard", in: window)
      try await session.lab.window.press(["Return"], in: window)
      try await session.controller.wait("the entered page") { $0.contains { $0["query"] == "keyboard" } }
      try await session.wait(until: "document.title === 'Third Party' && document.readyState === 'complete'")
      try await session.lab.window.press(["Tab"], in: window)
      try await session.wait(until: "document.activeElement?.id === 'name'")
      try await session.lab.window.type("Grace", in: window)
      try await session.wait(until: "document.querySelector('#name').value === 'Grace'")
      // The first time asks, the second one closes.
      try await session.lab.window.press(["ctrl+w"], in: window)
      try await session.callbacks.wait("the UI view") { $0.views.last == .ui }
      try await session.lab.window.press(["ctrl+w"], in: window)
      #expect(try await session.callbacks.exit() == .userAction)
    }
  }
}
