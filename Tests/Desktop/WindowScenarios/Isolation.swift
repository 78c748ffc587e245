import TesseraBridge
import TesseraThreads
import TesseraWindow

/// Pages and frames that try to reach the bridge of a page. Arguments: the two ports of `site.py`.
@MainActor
enum Isolation {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 2 else { throw ContentFailure.loadFailed(reason: "usage: isolation PORT PORT") }
    let (here, other) = ("http://127.0.0.1:\(arguments[0])", "http://127.0.0.1:\(arguments[1])")
    let handler = RecordingHandler()
    let permissions = try Permissions(granted: [], file: "/proc/nonexistent/grants", ask: nil)
    let router = MessageRouter(handlers: [handler])
    let channel = ContentChannel(["SelfNativeIOS", "selfNative"], body: .textOrObject) { document in
      BridgeReceiver(document, router: router, permissions: permissions, caller: .web(origin: document.origin))
    }
    let view = ContentView(
      session: ContentSession(), rules: TwoOrigins(allowed: here, shown: other), channels: [channel])
    let window = ContentWindow(title: "isolation")
    window.add(view)
    window.present()

    /// Shows a page until its scripts had time to act, and prints what the bridge received meanwhile.
    ///
    /// - Parameters:
    ///   - target: The page without rights to which the script goes.
    ///   - message: A message that the script sends before.
    func show(
      _ name: String, _ address: String, then script: String? = nil, to target: String? = nil,
      sending message: String? = nil
    ) async throws {
      handler.received.withLock { $0 = [] }
      await view.loaded { view.load(address) }
      // The scripts of a page with rights have been answered; those of the next page had time to act.
      try await becomesTrue(within: .seconds(600)) {
        guard let document = view.document, !document.address.contains("sandboxed") else { return true }
        return try await view.evaluate("(window.received ?? []).length >= 4") == "true"
      }
      if let script { _ = try? await view.evaluate(script) }
      func isThere() -> Bool {
        guard let target else { return true }
        return view.document == nil && view.address.hasPrefix(target)
      }
      func isHandled() -> Bool {
        let isReceived = message.map { message in handler.received.withLock { $0.contains(message) } } ?? true
        return isReceived && handler.running.withLock { $0 } == 0
      }
      try await becomesTrue(within: .seconds(600)) { isThere() && isHandled() }
      // What must not follow.
      try await letPass(.milliseconds(700))
      let answers = try? await view.evaluate("(window.received ?? []).length")
      observe(
        name,
        [
          "received": .array(handler.received.withLock { $0 }.map(JSONValue.string)),
          "address": .string(view.address), "hasRights": .bool(view.document != nil),
          "answers": answers.flatMap { $0 }.map(JSONValue.string) ?? .null,
        ])
    }
    try await show("top", "\(here)/top.html?other=\(other)")
    observe(
      "worlds",
      [
        "named": .string(
          try await view.evaluate("typeof webkit + typeof globalThis.tesseraToken", in: .named("x")) ?? ""),
        "page": .string(
          try await view.evaluate(
            """
            (() => {
              const names = Object.getOwnPropertyNames(window).filter((name) => name.startsWith("tessera"));
              for (const name of names) { window[name]("", "received.push", "x"); window[name]("x", "received.push", "x"); }
              return [names.length, typeof globalThis.tesseraToken, received.includes("x")].join(" ");
            })()
            """) ?? ""),
        "handlers": .string(try await view.evaluate("Object.keys(webkit.messageHandlers).sort().join()") ?? ""),
      ])
    await view.loaded { view.load("\(here)/hostile.html") }
    try await becomesTrue(within: .seconds(600)) { try await view.evaluate("received.length > 0") == "true" }
    try await letPass(.milliseconds(300))
    observe(
      "hostile",
      [
        "leaked": .string(try await view.evaluate("leaked") ?? ""),
        "received": .array(handler.received.withLock { $0 }.filter { $0.hasPrefix("hostile") }.map(JSONValue.string)),
        "answers": .string(try await view.evaluate("received.length") ?? ""),
      ])
    try await show("other origin", "\(other)/frame.html?who=other")
    try await show("redirect", "\(here)/redirect?to=\(other)/frame.html?who=redirected")
    try await show("sandboxed by its server", "\(here)/sandboxed.html?who=sandboxed")
    let goes = "\(here)/frame.html?who=start"
    let blob = """
      const text = `<script src="\(here)/attack.js" data-who="blob" data-site="\(here)"><\\/script>`;
      location = URL.createObjectURL(new Blob([text], {type: 'text/html'})); 0
      """
    try await show("blob", goes, then: blob, to: "blob:")
    try await show("data", goes, then: "location = 'data:text/html,<p>data'; 0")
    try await show("blank", goes, then: "location = 'about:blank'; 0", to: "about:blank")
    try await show("file", goes, then: "location = 'file:///etc/hostname'; 0")
    try await show("bundled", goes, then: "location = 'tessera-content://verification/'; 0")
    try await show("elsewhere", goes, then: "location = 'http://127.0.0.1:9/'; 0")
    // A request whose answer comes when the page is already another one.
    let late = """
      webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify({type: 'request', version: 1, id: 'late',
        domain: 'analytics', method: 'trackNfcEvent', params: {who: 'late'}, timestamp: 0}));
      location = '\(other)/frame.html?who=after'; 0
      """
    try await show("late answer", goes, then: late, to: "\(other)/frame.html", sending: "late ?")
    view.close()
    window.close()
  }
}

/// Pages of two origins are shown; those of one have rights.
struct TwoOrigins: ContentRules {
  let allowed: String
  let shown: String

  func mayNavigate(to address: String) -> Bool {
    mayUseChannels(address) || WebOrigin(url: address) == WebOrigin(url: shown)
  }
  func mayUseChannels(_ address: String) -> Bool {
    WebOrigin(url: address).map { $0 == WebOrigin(url: allowed) } ?? false
  }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}

/// Records who sent a request and how. `trackNfcEvent` takes half a second.
final class RecordingHandler: BridgeHandler {
  let domain = BridgeDomain.analytics
  let received = Locked<[String]>([])
  /// The number of requests without an answer.
  let running = Locked(0)

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    let who = request.parameters["who"]?.stringValue ?? "?"
    let way = request.parameters["way"]?.stringValue ?? "?"
    running.withLock { $0 += 1 }
    defer { running.withLock { $0 -= 1 } }
    received.withLock { $0.append("\(who) \(way)") }
    if request.method == "trackNfcEvent" {
      try? await letPass(.milliseconds(400))
    }
    return nil
  }
}

extension ContentView {
  /// Waits until a page was loaded, or the load failed.
  func loaded(_ begin: () -> Void) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    onLoaded = { end.finish() }
    onFailure = { _ in end.finish() }
    begin()
    let limit = Task {
      try? await letPass(.seconds(600))
      end.finish()
    }
    for await _ in ends {}
    limit.cancel()
  }
}
