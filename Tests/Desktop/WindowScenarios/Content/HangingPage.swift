import Glibc
import TesseraBridge
import TesseraThreads
import TesseraWebContent
import TesseraWindow
import TestSupport

/// A page that takes no calls for some time.
@MainActor
enum HangingPage {
  private static var document: ContentDocument?
  private static var bridge: BridgeReceiver?

  static func run(_ arguments: [String]) async throws {
    queue()
    let held = HeldAnswers()
    let (view, window) = try await shown(MessageRouter(handlers: [held]))
    defer {
      view.close()
      window.close()
    }
    guard let document, let bridge else { throw ScenarioError(description: "The page has no channel.") }
    // The page cannot ask for more in this turn of the loop.
    for number in 0..<9_000 { document.call(["take"], "\(number)") }
    try await becomesTrue { try await view.evaluate("taken[taken.length - 1] ?? null") == #""8999""# }
    try await observe("burst", "({count: taken.length, warned})", in: view)

    _ = try await view.evaluate("warned = []; ask(80); 0")
    try await becomesTrue { held.count == 80 }
    let processes = Descendants.named("WebKitWebProcess")
    for process in processes { kill(process, SIGSTOP) }
    held.release()
    await bridge.finished()
    // What was sent has reached the main thread.
    try await letPass(.milliseconds(200))
    for process in processes { kill(process, SIGCONT) }
    try await becomesTrue {
      try await view.evaluate("Object.values(codes).reduce((sum, count) => sum + count, 0)") == "80"
    }
    try await observe("answers", "({codes, warned})", in: view)
  }

  private static func observe(_ name: String, _ script: String, in view: ContentView) async throws {
    ScenarioFrame.observe(name, try await view.evaluate(script).map { try JSONValue(text: $0) } ?? .null)
  }

  /// What a queue drops, with small limits.
  private static func queue() {
    func taken(_ add: (inout CallQueue) -> Void) -> JSONValue {
      var queue = CallQueue(mostCalls: 8, mostBytes: 100)
      add(&queue)
      let all = queue.takeAll { "-\($0)" }
      return .array((all + queue.takeAll { "-\($0)" }).map { .string(String($0.prefix(2))) })
    }
    let long = String(repeating: "x", count: 38)
    ScenarioFrame.observe("few", taken { queue in for number in 1...8 { queue.add("\(number)") } })
    ScenarioFrame.observe("many", taken { queue in for number in 1...9 { queue.add("\(number)") } })
    ScenarioFrame.observe(
      "events first",
      taken { queue in
        queue.add("A1" + long) { "a1" }
        queue.add("E1" + long)
        queue.add("A2" + long) { "a2" }
      })
    ScenarioFrame.observe(
      "answers last", taken { queue in for number in 1...3 { queue.add("A\(number)" + long) { "a\(number)" } } })
    ScenarioFrame.observe(
      "answers only", taken { queue in for number in 1...9 { queue.add("\(number)") { "a\(number)" } } })
    ScenarioFrame.observe(
      "long answers", taken { queue in for number in 1...4 { queue.add("A\(number)" + long) { "a\(number)" + long } } })
    ScenarioFrame.observe(
      "one that is too long", taken { queue in for _ in 1...2 { queue.add("E" + long + long + long) } })
  }

  private static func shown(_ router: MessageRouter) async throws -> (ContentView, ContentWindow) {
    let permissions = try Permissions(granted: [], file: "/proc/nonexistent/grants", ask: nil)
    let channel = ContentChannel(["SelfNativeIOS"]) { document in
      let receiver = BridgeReceiver(document, router: router, permissions: permissions, caller: .local)
      (self.document, bridge) = (document, receiver)
      return receiver
    }
    let page = """
      <!doctype html><script>
      window.warned = [];
      console.warn = (text) => { warned.push(text); };
      window.taken = [];
      window.take = (text) => { taken.push(text); };
      window.codes = {};
      window.SelfNativeBridge = {
        _handleResponse(text) {
          const code = JSON.parse(text).error?.code ?? "none";
          codes[code] = (codes[code] ?? 0) + 1;
        },
        _handleEvent() {},
      };
      window.ask = (count) => {
        for (let number = 0; number < count; number += 1) {
          webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify({type: "request", version: 1,
            id: "request-" + number, domain: "lifecycle", method: "getConfig", params: {}, timestamp: Date.now()}));
        }
      };
      </script>
      """
    let content = BundledContent(
      name: "hanging-page",
      files: ["index.html": BundledContent.File(mediaType: "text/html", bytes: Array(page.utf8))],
      securityPolicy: "default-src 'none'; script-src 'unsafe-inline'")
    let view = ContentView(session: ContentSession(), rules: EveryPage(), channels: [channel])
    let window = ContentWindow(title: "hanging page")
    window.add(view)
    window.present()
    await view.loaded { view.load(content) }
    return (view, window)
  }
}

/// Answers of a mebibyte, none before all are released.
private final class HeldAnswers: BridgeHandler {
  let domain = BridgeDomain.lifecycle
  private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

  var count: Int { waiting.withLock { $0.count } }

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    return .string(String(repeating: "x", count: 1 << 20))
  }

  func release() {
    for continuation in waiting.withLock({ $0 }) { continuation.resume() }
  }
}
