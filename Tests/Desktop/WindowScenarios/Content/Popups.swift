import TesseraBridge
import TesseraWebContent

/// Views that pages open. Argument: the port of `site.py`.
@MainActor
enum Popups {
  static func run(_ arguments: [String]) async throws {
    let one = SiteView(arguments)
    try await one.show("/popups.html")
    observe("without a decision", .bool(try await one.view.evaluate("openEmpty()") == "true"))
    var asked: [ContentPopup] = []
    var opened: [ContentView] = []
    var closed = 0
    one.view.onPopup = { popup in
      asked.append(popup)
      if popup.address.hasSuffix("/refused") { return .refuse }
      if popup.address.hasSuffix("?here") { return .loadHere }
      let view = ContentView(session: one.view.session, rules: OneSite(site: one.site), sharingProcessOf: one.view)
      view.onClose = { closed += 1 }
      opened.append(view)
      one.window.add(view)
      return .open(view)
    }
    observe("refused", .bool(try await one.view.evaluate("openPage('/refused')") == "true"))
    observe("first", .bool(try await one.view.evaluate("openEmpty()") == "true"))
    observe("second", .bool(try await one.view.evaluate("openEmpty()") == "true"))
    observe("addresses", .array(asked.map { .string($0.address) }))
    guard opened.count == 2 else { return observe("opened", .integer(Int64(opened.count))) }
    _ = try await one.view.evaluate("opened[1].location = '/plain.html?in-popup'; 0")
    try await becomesTrue { opened[0].address.hasSuffix("in-popup") }
    observe(
      "assigned", .array(opened.map { .string($0.address.split(separator: "/").last.map(String.init) ?? "") }))
    observe("opener", .string(try await opened[0].evaluate("opener !== null && typeof webkit") ?? ""))
    _ = try await one.view.evaluate("opened[1].close(); 0")
    try await becomesTrue { closed != 0 }
    observe("closed", .integer(Int64(closed)))
    observe("here", .bool(try await one.view.evaluate("openPage('/plain.html?here')") == "true"))
    try await becomesTrue { one.view.shown.hasSuffix("?here") }
    observe("shown", .bool(one.view.shown.hasSuffix("/plain.html?here")))
    for view in opened {
      one.window.remove(view)
      view.close()
    }
    // Nobody sees the dialogs of a hidden view.
    one.view.endsDialogs = true
    observe("dialogs", .string(try await one.view.evaluate("alert(1); [confirm(1), prompt(1)]") ?? ""))
    one.close()
  }
}
