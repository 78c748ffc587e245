import CTesseraWebKitGTK
import FCKOnboarding
import Foundation
import TesseraBridge
import TesseraHTTPClient
import TesseraThreads
import TesseraWebContent

/// A program that shows flows by the API. Argument: a folder for its state.
@MainActor
enum Gates {
  private nonisolated static let flow = #"""
    {"flowId": "f1", "config": {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r",
      "type": "stack", "children": [
      {"id": "name", "type": "input", "variableKey": "name"},
      {"id": "go", "type": "button", "text": "Go", "action": "next",
        "tapBehaviors": [{"type": "haptics", "intensity": "heavy"}]}]}},
      {"id": "b", "type": "informational", "root": {"id": "r", "type": "stack", "children": [
      {"id": "end", "type": "button", "text": "End", "action": "complete"}]}}]}}
    """#

  /// What the server answers, and what it was sent.
  private final class Server: Sendable {
    let status = Locked(200)
    /// Of the status 200.
    let answer = Locked<Result<String, HTTPError>>(.success(Gates.flow))
    let posts = Locked<[JSONValue]>([])
    var transport: StubServer {
      StubServer { [self] request in
        if case .post(let body, _) = request.method {
          let text = String(decoding: body, as: UTF8.self)
          if let json = try? JSONValue(text: text) { posts.withLock { $0.append(json) } }
          return HTTPResponse(status: 200, body: Array("{}".utf8))
        }
        let status = status.withLock { $0 }
        let body = Array(try self.answer.withLock { $0 }.get().utf8)
        return HTTPResponse(status: status, body: status == 200 ? body : [])
      }
    }
  }

  static func run(_ arguments: [String]) async throws {
    let folder = arguments.first ?? "/proc/nonexistent"
    // Without a configuration.
    observe("unconfigured", try await gate(FCKOnboarding(services: .recorded())) { _ in })
    // Errors of the server, and of the network.
    for status in [401, 404, 429, 500] {
      observe("status \(status)", try await gate(try await program(folder, "s\(status)", status).0) { _ in })
    }
    // Answers that are no flow, and answers that do not come.
    for (name, answer) in [
      ("unreachable", .failure(HTTPError.unreachable(host: "onboarding.example.org"))),
      ("timeout", .failure(HTTPError.timeLimit(.seconds(10)))), ("html", .success("<!doctype html><p>Log in</p>")),
      ("null", .success(#"{"flowId": "f1", "config": null}"#)),
    ] as [(String, Result<String, HTTPError>)] {
      let (onboarding, server, _) = try await program(folder, name)
      server.answer.withLock { $0 = answer }
      observe(name, try await gate(onboarding) { _ in })
    }
    try await completed(folder)
    try await skipped(folder)
  }

  /// The view that loads by itself, and windows of their own. Argument: a folder for its state.
  static func load(_ arguments: [String]) async throws {
    let folder = arguments.first ?? "/proc/nonexistent"
    try await loading(folder)
    try await presented(folder)
    try await shared()
  }

  private static func program(
    _ folder: String, _ name: String, _ status: Int = 200
  ) async throws -> (FCKOnboarding, Server, RecordedHaptics) {
    let server = Server()
    server.status.withLock { $0 = status }
    let haptics = RecordedHaptics()
    let services = OnboardingServices(
      transport: server.transport,
      environment: ["XDG_STATE_HOME": "\(folder)/\(name)/state", "XDG_CACHE_HOME": "\(folder)/\(name)/cache"])
    let onboarding = FCKOnboarding(
      services: .recorded(client: OnboardingClient(services: services), haptics: haptics))
    var configuration = FCKConfiguration(
      apiKey: "pk_test_1", baseAddress: "https://onboarding.example.org", environment: .sandbox,
      cachePolicy: .networkOnly)
    configuration.appName = "desk"
    try await onboarding.configure(configuration)
    return (onboarding, server, haptics)
  }

  /// The states of a gate, until its content appears.
  private static func gate(
    _ onboarding: FCKOnboarding, _ user: (OnboardingFlowView) async throws -> Void
  ) async throws -> JSONValue {
    let content = gtk_button_new_with_label("The program")!
    let gate = OnboardingGate(for: "main", userProperties: [:], of: onboarding, content: content)
    let window = UnsafeMutableRawPointer(gtk_window_new()!).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_child(window, gate.widget)
    gtk_window_present(window)
    var seen = ["\(gate.state.rawValue) \(isShown(content))"]
    try await until { gate.state != .loading }
    if gate.state == .showing, let view = gate.flowView {
      seen.append("\(gate.state.rawValue) \(isShown(content))")
      try await user(view)
      try await until { gate.state == .content }
    }
    try await until { gtk_widget_get_mapped(content) != 0 }
    if gtk_window_get_focus(window) == content { seen.append("focus") }
    seen.append("\(gate.state.rawValue) \(isShown(content))")
    gtk_window_destroy(window)
    return .array(seen.map { .string($0) })
  }

  private static func isShown(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
    gtk_widget_get_mapped(widget) != 0
  }

  private static func completed(_ folder: String) async throws {
    let (onboarding, server, haptics) = try await program(folder, "completed")
    observe(
      "completed",
      try await gate(onboarding) { view in
        view.receive(.text("name", "Ada"))
        view.receive(.tap("go"))
        view.receive(.tap("end"))
      })
    try await until { !haptics.all.isEmpty }
    observe("haptics", .array(haptics.all.map { .string($0) }))
    observe("responses", .object(JSONObject(await onboarding.getUserResponses().mapValues(JSONValue.string))))
    await onboarding.finish()
    observe("events", .array(events(server)))
    observe(
      "completions",
      .array(server.posts.withLock { $0 }.filter { $0["responses"] != nil }.map { $0["responses"] ?? .null }))
    // The user does not see it again.
    observe("again", try await gate(onboarding) { _ in })
  }

  private static func skipped(_ folder: String) async throws {
    let (onboarding, server, _) = try await program(folder, "skipped")
    observe("skipped", try await gate(onboarding) { $0.skip() })
    await onboarding.finish()
    observe("events of skipping", .array(events(server)))
  }

  private static func events(_ server: Server) -> [JSONValue] {
    server.posts.withLock { $0 }.compactMap { post in
      guard let type = post["eventType"]?.stringValue else { return nil }
      if case .integer(let index)? = post["screenIndex"] { return .string("\(type) \(index)") }
      return .string(type)
    }
  }

  /// The view that loads by itself: an error, once more, and skip.
  private static func loading(_ folder: String) async throws {
    let (onboarding, server, _) = try await program(folder, "loading", 500)
    var ends: [Bool] = []
    let view = OnboardingView(for: "main", userProperties: [:], of: onboarding) { ends.append($0) }
    let window = UnsafeMutableRawPointer(gtk_window_new()!).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_child(window, view.widget)
    gtk_window_present(window)
    view.focusFirst()
    func focus() -> JSONValue {
      .string(gtk_window_get_focus(window).map { WidgetTree.texts($0).first ?? WidgetTree.className($0) } ?? "")
    }
    var states = [view.state.rawValue]
    try await until { view.state == .error }
    states.append(view.state.rawValue)
    observe("error texts", .array(WidgetTree.texts(view.widget).map { .string($0) }))
    var focused = [focus()]
    server.status.withLock { $0 = 200 }
    view.press(0)
    try await until { view.state == .loaded }
    focused.append(focus())
    observe("focused", .array(focused))
    states.append(view.state.rawValue)
    view.flowView?.receive(.tap("go"))
    view.flowView?.receive(.tap("end"))
    try await until { !ends.isEmpty }
    states.append(view.state.rawValue)
    observe("states", .array(states.map { .string($0) }))
    observe("ends", .array(ends.map { .bool($0) }))
    let failing = try await program(folder, "skipping", 500).0
    var skips: [Bool] = []
    let second = OnboardingView(for: "main", userProperties: [:], of: failing) { skips.append($0) }
    gtk_window_set_child(window, second.widget)
    try await until { second.state == .error }
    second.press(1)
    try await until { !skips.isEmpty }
    observe("skip", .array(skips.map { .bool($0) } + [.string(second.state.rawValue)]))
    gtk_window_destroy(window)
  }

  /// A window of its own.
  private static func presented(_ folder: String) async throws {
    let failing = try await program(folder, "none", 404).0
    observe("none", .bool(await failing.presentIfNeeded() == nil))
    let (onboarding, server, _) = try await program(folder, "presented")
    let presented = Task { await onboarding.presentIfNeeded() }
    try await until { window(titled: "Onboarding – desk") != nil }
    guard let window = window(titled: "Onboarding – desk") else { throw ScenarioError(description: "no window") }
    // A second one waits for nobody.
    observe("second", .bool(await onboarding.presentIfNeeded() == nil))
    if let entry = WidgetTree.first("GtkEntry", in: window) { gtk_editable_set_text(OpaquePointer(entry), "Ada") }
    for words in ["Go", "End"] { try await press(words, in: window) }
    let report = await presented.value
    observe("presented", [.string(report?.outcome.rawValue ?? ""), .object(report?.answers.json ?? [:])])
    observe("closed", .bool(self.window(titled: "Onboarding – desk") == nil))
    await onboarding.finish()
    observe(
      "completions presented",
      .array(server.posts.withLock { $0 }.compactMap { $0["responses"] }))
    do {
      _ = try await FCKOnboarding(services: .recorded()).fetchFlow()
      observe("fetch unconfigured", "a flow")
    } catch {
      observe("fetch unconfigured", .string("\(error)"))
    }
    observe("version", .string(FCKOnboarding.version))
  }

  /// A flow of the program's own document, without a configuration.
  private static func shared() async throws {
    var problems: [FlowProblem] = []
    guard let config = try JSONValue(text: flow)["config"]?.text else { return }
    var ends: [Bool] = []
    let view = OnboardingFlowView(config: try FlowConfig(Array(config.utf8), problems: &problems)) { ends.append($0) }
    let window = UnsafeMutableRawPointer(gtk_window_new()!).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_child(window, view.widget)
    // It begins when it is shown.
    let before = WidgetTree.texts(view.widget)
    gtk_window_present(window)
    try await until { WidgetTree.texts(view.widget).contains("Go") }
    for words in ["Go", "End"] { try await press(words, in: view.widget) }
    try await until { !ends.isEmpty }
    observe("flow view", [.integer(Int64(before.count)), .array(ends.map { .bool($0) })])
    gtk_window_destroy(window)
  }

  private static func window(titled title: String) -> UnsafeMutablePointer<GtkWidget>? {
    guard let list = gtk_window_list_toplevels() else { return nil }
    defer { g_list_free(list) }
    var next: UnsafeMutablePointer<GList>? = list
    while let item = next {
      next = item.pointee.next
      guard let window = item.pointee.data?.assumingMemoryBound(to: GtkWidget.self) else { continue }
      let name = gtk_window_get_title(
        UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self))
      if name.map({ String(cString: $0) }) == title { return window }
    }
    return nil
  }

  /// Presses the button with these words, once it is there.
  private static func press(_ words: String, in widget: UnsafeMutablePointer<GtkWidget>) async throws {
    func button() -> UnsafeMutablePointer<GtkWidget>? {
      WidgetTree.all("GtkButton", in: widget).first { WidgetTree.texts($0) == [words] && isShown($0) }
    }
    try await until { button() != nil }
    if let button = button() { gtk_widget_activate(button) }
  }

  private static func until(_ condition: () -> Bool) async throws {
    guard try await becomesTrue(within: .seconds(30), condition) else {
      throw ScenarioError(description: "nothing happened within 30 seconds")
    }
  }
}
