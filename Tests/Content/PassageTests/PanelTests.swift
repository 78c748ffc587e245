import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// Popups and the bottom sheet (Passage.md, rules 16 and 17).
  @Suite("Popups and sheets")
  struct PanelTests {
    /// The ground of `ui.html`.
    private static let ground = ScreenPicture.Color(0xEE, 0xF3, 0xFB)

    /// Has the page do something: its own objects are in another world than the script, and a window opens at a click
    /// only.
    ///
    /// - Parameter expression: Its value becomes the title.
    private static func inPage(_ expression: String) -> String {
      """
      window.clicker ??= document.body.appendChild(document.createElement("button"));
      clicker.setAttribute("onclick", \(JSONValue.string("document.title = JSON.stringify(\(expression))").text));
      clicker.click();
      document.title
      """
    }

    @Test("popups: two at once, without page object and handler; one gets its address later; their page closes them")
    @MainActor
    func popups() async throws {
      let session = try await ShownSession("/popup.html")
      let controller = session.controller
      try await session.showAutomation()
      #expect(try await session.script(Self.inPage("[openEmpty(), openEmpty()]")) == "[true,true]")
      try await session.lab.keepPicture("passage-popups")
      let one = #"{"closed":false,"passage":"undefined","webkit":"undefined"}"#
      #expect(
        try await session.script(Self.inPage("[describeEmpty(0), describeEmpty(1)]")) == .string("[\(one),\(one)]"))
      // The address comes afterwards.
      try await session.script(Self.inPage("assign(1, '/next.html?popup')"))
      try await controller.wait("the popup's page") { $0.contains { $0["query"] == "popup" } }
      func wait(for text: JSONValue, _ expression: String) async throws {
        try await eventually(expression, every: .milliseconds(20)) {
          try await session.script(Self.inPage(expression)) == text
        }
      }
      try await wait(for: #"["Next","undefined"]"#, "[opened[1].document.title, typeof opened[1].passage]")
      // The page of the view is still there, and so is the server's way to it.
      let address = try await controller.run("c-1", "injectScript", ["injectScript": "location.pathname"])
      #expect(address["data"] == "/popup.html")
      try await session.script(Self.inPage("opened[0].close()"))
      try await wait(for: "[true,false]", "[opened[0].closed, opened[1].closed]")
      // The server is not told of a popup's address.
      #expect(!controller.events("state").contains { $0.text.contains("next.html") })
      try await session.close()
    }

    @Test("the bottom sheet is updated in place, stays at a click beside it, and its address is loaded")
    @MainActor
    func bottomSheet() async throws {
      let session = try await ShownSession()
      let window = try await session.lab.shown()
      try await session.show(#"{title: "Another", closeButtonText: "Good"}"#)
      try await session.lab.keepPicture("passage-sheet")
      try await session.show(
        #"{title: "Where is it?", description: "Enter the address.", points: ["one", "two"], showInput: true}"#)
      // A click on the page, which does not get it.
      try await session.script("addEventListener('pointerdown', () => { window.clicked = true; }, true); 1", in: .ui)
      try await session.lab.click(100, 100, in: window)
      #expect(session.callbacks.views.isEmpty)
      // The field is above the button, at the bottom.
      try await session.lab.click(200, -100, in: window)
      try await session.lab.window.type(session.controller.site + "/home.html?sheet", in: window)
      try await session.lab.keepPicture("passage-sheet-2")
      try await session.lab.window.press(["Return"], in: window)
      try await session.controller.wait("the entered page") { $0.contains { $0["query"] == "sheet" } }
      try await session.callbacks.wait("the automation view") { $0.views == [.automation] }
      #expect(try await session.script("window.clicked === undefined", in: .ui) == true)
      try await session.close()
    }

    @Test("Escape and a drag down close the sheet, which was updated before; a short drag does not")
    @MainActor
    func closedSheet() async throws {
      let session = try await ShownSession()
      let window = try await session.lab.shown()
      for (number, way) in ["Escape", "drag"].enumerated() {
        try await session.show(#"{title: "One", closeButtonText: "Good"}"#)
        try await session.show(
          #"{title: "Two", description: "More", points: ["a", "b", "c"], closeButtonText: "Good"}"#)
        // Keys go to the sheet and not to the page.
        let place = try await session.lab.place(400, -20, in: window)
        if way == "Escape" {
          try await session.lab.window.press(["Escape"], in: window)
        } else {
          let top = try await session.sheetTop()
          try await session.lab.drag(from: (400, top + 10), to: (400, top + 40), in: window)
          #expect(try session.lab.window.screen()[place.x, place.y] != Self.ground)
          try await session.lab.drag(from: (400, top + 10), to: (400, top + 150), in: window)
        }
        // One sheet was there: the page is free.
        _ = try await session.lab.window.screen("no sheet") { $0[place.x, place.y] == Self.ground }
        // The page has the keys again.
        try await session.press([], then: number == 0 ? "a" : "b", in: .ui)
      }
      try await session.close()
    }
  }
}

extension ShownSession {
  /// Has the UI page show a sheet, and waits until it is there.
  ///
  /// - Parameter content: an object of JavaScript. The sheet must have its button.
  func show(_ content: String) async throws {
    try await script("window.passage.showBottomSheetModal(\(content)); 1", in: .ui)
    try await seeSheet()
  }

  /// Waits until a sheet has moved into the window: its black button, which is at the bottom, is there as a whole.
  func seeSheet() async throws { try await lab.see(ScreenPicture.Color(0, 0, 0), atLeast: 38_000) }

  /// The sheet's edge, in pixels from the window's top, when the whole sheet is there.
  func sheetTop() async throws -> Int {
    let window = try await lab.shown()
    let (first, last) = (try await lab.place(400, 60, in: window), try await lab.place(400, -4, in: window))
    let sheet = try lab.window.screen()[last.x, last.y]
    var found: [Int] = []
    // It changes its height with its content, at once.
    try await eventually("The end of the sheet's movement", every: .milliseconds(100)) {
      let picture = try lab.window.screen()
      // The shadow is above it.
      found.append((first.y...last.y).first { picture[last.x, $0] == sheet }.map { $0 - first.y + 60 } ?? 0)
      return found.count >= 3 && Set(found.suffix(3)).count == 1
    }
    return found.last ?? 0
  }
}
