import CTesseraWebKitGTK
import TesseraBridge
import TesseraWindow

/// A page that asks for more than itself, in a view with the standard behavior. Argument: the port of `site.py`.
@MainActor
enum Behavior {
  static func run(_ arguments: [String]) async throws {
    let site = "http://127.0.0.1:\(arguments.first ?? "9")"
    let view = ContentView(session: ContentSession(), rules: TwoOrigins(allowed: site, shown: site))
    let window = ContentWindow(title: "behavior")
    window.add(view)
    window.present()
    await view.loaded { view.load("\(site)/behavior.html") }
    var asked: String?
    try await becomesTrue {
      asked = try await view.evaluate("window.asked ?? null")
      return asked != nil && asked != "null"
    }
    observe("asked", try asked.map { try JSONValue(text: $0) } ?? .null)
    // The dialogs and windows that the last requests could open.
    try await letPass(.seconds(1))
    observe("windows", .integer(Int64(g_list_model_get_n_items(gtk_window_get_toplevels()))))
    observe("address", .string(view.address))
    // `beforeunload` does not hold the page; a server that wants a password gets none.
    var failures: [JSONValue] = []
    view.onFailure = { failures.append(.string($0.code)) }
    view.load("\(site)/secret")
    try await becomesTrue { !failures.isEmpty }
    observe("password", .array(failures))
    for factor in [10, 0.01, 1] {
      view.zoom = factor
      observe("zoom", .string(String(view.zoom)))
    }
    view.close()
    window.close()
  }
}
