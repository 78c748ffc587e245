import TesseraBridge
import TesseraWindow

/// Two views in one window, the second hidden: sessions, channels and timers of both. Argument: the port of `site.py`.
@MainActor
enum SeveralViews {
  static func run(_ arguments: [String]) async throws {
    let site = "http://127.0.0.1:\(arguments.first ?? "9")"
    var messages: [String: [String]] = [:]
    func channel(_ name: String, _ view: String, world: ContentChannel.World = .page) -> ContentChannel {
      ContentChannel([name], world: world) { _ in Passing { messages[view, default: []].append($0) } }
    }
    let rules = TwoOrigins(allowed: site, shown: site)
    let first = ContentView(
      session: ContentSession(), rules: rules, channels: [channel("flow", "first"), channel("other", "first other")])
    let second = ContentView(
      session: ContentSession(), rules: rules,
      channels: [channel("flow", "second"), channel("hidden", "second script", world: .named("program"))])
    // A script of the program, in a world of its own.
    second.addScript(
      "window.webkit.messageHandlers.hidden.postMessage(typeof page + document.readyState)", in: .named("program"))
    let window = ContentWindow(title: "views")
    for view in [first, second] { window.add(view) }
    window.setShown(false, second)
    window.present()
    await first.loaded { first.load("\(site)/views.html?name=first") }
    await second.loaded { second.load("\(site)/views.html?name=second") }
    // The hidden page's timers and animations go on.
    try await becomesTrue { messages["second", default: []].count >= 12 }
    observe(
      "cookies",
      [
        "first": .string(try await first.evaluate("document.cookie") ?? ""),
        "second": .string(try await second.evaluate("document.cookie") ?? ""),
      ])
    observe(
      "handlers",
      [
        "first": .string(try await first.evaluate("Object.keys(webkit.messageHandlers).sort().join()") ?? ""),
        "second": .string(try await second.evaluate("Object.keys(webkit.messageHandlers).sort().join()") ?? ""),
      ])
    observe("messages", .object(JSONObject(messages.mapValues { .array($0.prefix(3).map(JSONValue.string)) })))
    observe("hidden", .bool(messages["second", default: []].count >= 12))
    for text in ["an answer", "with\u{0}", "third"] { second.document?.call(["flowAnswer"], text) }
    try await letPass(.milliseconds(300))
    observe(
      "answers",
      [
        "first": .string(try await first.evaluate("answers.join()") ?? ""),
        "second": .string(try await second.evaluate("answers.join()") ?? ""),
      ])
    // The second page goes on when the first view is closed.
    window.remove(first)
    first.close()
    let count = messages["second", default: []].count
    try await becomesTrue { messages["second", default: []].count >= count + 3 }
    observe("after closing the first", .bool(messages["second", default: []].count >= count + 3))
    second.close()
    window.close()
  }
}
