import TesseraBridge
import TesseraWebContent

/// The ways of a view from page to page. Argument: the port of `site.py`.
@MainActor
enum Navigations {
  static func run(_ arguments: [String]) async throws {
    let one = SiteView(arguments)
    func observeSteps(_ name: String) { observe(name, .array(one.steps.map(JSONValue.string))) }
    for (name, path) in [
      ("page", "/plain.html"), ("redirected", "/redirect?to=/plain.html?redirected"), ("status", "/broken"),
      ("no server", "http://127.0.0.1:2/"), ("refused", "http://127.0.0.1:3/"),
    ] {
      try await one.show(path)
      observeSteps(name)
    }
    try await one.show("/plain.html")
    try await one.leave("/redirect?to=/plain.html?left")
    observeSteps("left by the page")
    one.forget()
    _ = try await one.view.evaluate("history.pushState(null, '', '/plain.html#pushed'); 0")
    try await one.wait(for: "address")
    observeSteps("changed by the page")
    observe("back", .integer(Int64(one.view.backCount)))
    one.forget()
    observe("went back", .bool(one.view.goBack()))
    try await one.wait(for: "address")
    observeSteps("after going back")
    observe("forward", [.integer(Int64(one.view.forwardCount)), .bool(one.view.goForward())])
    one.view.userAgent = "Example/1.0"
    try await one.show("/plain.html?agent")
    observe("agent", .string(try await one.view.evaluate("navigator.userAgent") ?? ""))
    one.view.userAgent = ""
    observe("own agent", .bool(one.view.userAgent.contains("AppleWebKit")))
    one.forget()
    one.view.endProcess()
    try await one.wait(for: "failed")
    observeSteps("process ended")
    one.close()
    var behavior = ContentBehavior()
    behavior.showsErrorPages = true
    let other = SiteView(arguments, behavior: behavior)
    try await other.show("/broken")
    observe("status that is shown", .array(other.steps.map(JSONValue.string)))
    other.close()
  }
}
