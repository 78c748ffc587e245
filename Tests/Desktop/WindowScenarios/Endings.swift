import Glibc
import TesseraBridge
import TesseraThreads
import TesseraWindow
import TestSupport

/// The ends of launches. Argument: the port of `site.py`.
@MainActor
enum Endings {
  private struct Case {
    let name: String
    /// The script of the page; `ask(domain, method, params)` sends a request and returns a promise.
    var page = ""
    /// Another address than the page's.
    var content: LaunchContent?
    /// Whether the page scans.
    var scans = false
    /// What happens to the window when the page was loaded or failed to load.
    var then: @MainActor (LaunchWindow) async throws -> Void = { _ in }
  }

  static func run(_ arguments: [String]) async throws {
    let site = "http://127.0.0.1:\(arguments.first ?? "9")"
    for ending in cases(site) where arguments.count < 2 || arguments.contains(ending.name) {
      try await run(ending)
    }
  }

  private static func cases(_ site: String) -> [Case] {
    let succeed = "ask('lifecycle', 'setResult', {success: true, userId: 'u'})"
    return [
      Case(name: "result", page: "\(succeed).then(() => ask('lifecycle', 'dismiss'))"),
      Case(name: "result twice", page: "\(succeed); ask('lifecycle', 'setResult', {success: false}); \(succeed)"),
      Case(name: "result, then another", page: "\(succeed); ask('lifecycle', 'setResult', {errorCode: 'E'})"),
      Case(name: "result and close at once", page: "\(succeed); window.close()"),
      Case(
        name: "failure", page: "ask('lifecycle', 'setResult', {success: false, error: {code: 'E', message: 'm'}})"),
      Case(name: "dismissal", page: "ask('lifecycle', 'dismiss', {reason: 'user_cancel'})"),
      Case(name: "dismissal, then result", page: "ask('lifecycle', 'dismiss'); \(succeed)"),
      Case(name: "no answer, closed", then: { close($0) }),
      Case(
        name: "closed twice",
        then: { window in
          close(window)
          close(window)
        }),
      Case(
        name: "result while closing", page: "setTimeout(() => \(succeed), 20)",
        then: { window in
          try await letPass(.milliseconds(20))
          close(window)
        }),
      Case(
        name: "closed during a scan",
        page: "ask('nfc', 'scan', {passportNumber: 'L898902C3', dateOfBirth: '740812', dateOfExpiry: '120415'})",
        scans: true, then: { close($0) }),
      Case(
        name: "closes itself", page: "setTimeout(() => window.close(), 100)"),
      Case(
        name: "navigates away", page: "location = 'https://elsewhere.example/'",
        then: { window in
          try await letPass(.milliseconds(300))
          observe("shown", ["address": .string(window.view.address), "notice": .bool(window.window.showsNotice)])
          close(window)
        }),
      Case(
        name: "crashes, given up",
        then: { window in
          try await crash(window)
          close(window)
        }),
      Case(
        name: "crashes, tried again",
        then: { window in
          try await crash(window)
          window.window.pressNotice()
          // The button shows that it is pressed before it acts.
          try await becomesTrue { !window.window.showsNotice }
          await window.begun()
          // The window may close before the script has returned.
          _ = try? await window.view.evaluate("\(succeed); 0")
        }),
      // A port that nobody listens on, and one that WebKit does not connect to.
      Case(name: "no server", content: .address("http://127.0.0.1:2/", isDebug: true), then: { close($0) }),
      Case(name: "refused port", content: .address("http://127.0.0.1:25/", isDebug: true), then: { close($0) }),
      Case(name: "server error", content: .address("\(site)/broken", isDebug: true), then: { close($0) }),
      Case(
        name: "redirected elsewhere",
        content: .address("\(site)/redirect?to=https://elsewhere.example/", isDebug: true), then: { close($0) }),
      Case(
        name: "cancelled by the program",
        then: { $0.cancel() }),
    ]
  }

  private static func close(_ window: LaunchWindow) { window.window.onCloseRequest?() }

  /// Ends the process of the page, and waits until the window says so.
  private static func crash(_ window: LaunchWindow) async throws {
    for process in Descendants.named("WebKitWebProcess") { kill(process, SIGKILL) }
    try await becomesTrue { window.window.showsNotice }
    observe("crashed", .bool(window.window.showsNotice))
  }

  private static func run(_ ending: Case) async throws {
    let host = CountingHost()
    let registry = SdkProviderRegistry()
    let scans = WaitingNfcProvider()
    registry.register { $0.nfc = scans }
    let session = LaunchSession(Launch(mode: .embed), host: host)
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry, session: session))
    let window = try LaunchWindow(
      ending.content ?? .bundled(page(ending.page)), session, router, LaunchConfiguration())
    let hasEnded = Locked(false)
    let run = Task {
      await window.run()
      hasEnded.withLock { $0 = true }
    }
    // The page has begun, or a notice says why not, or it has ended already.
    await window.begun { hasEnded.withLock { $0 } }
    try await becomesTrue { !ending.scans || scans.begun.withLock { $0 } > 0 }
    try await ending.then(window)
    let outcome = await session.outcome
    await run.value
    try await becomesTrue { scans.running.withLock { $0 } == 0 && host.calls.withLock { $0.count } >= 2 }
    // Calls that must not follow.
    try await letPass(.milliseconds(100))
    let text =
      switch outcome {
      case .succeeded(let result): "succeeded \(result.userId ?? "")"
      case .failed(let error): "failed \(error.code)"
      case .cancelled: "cancelled"
      }
    observe(
      "ending",
      [
        "case": .string(ending.name), "outcome": .string(text),
        "calls": .array(host.calls.withLock { $0 }.map(JSONValue.string)),
        "scans": .integer(Int64(scans.running.withLock { $0 })),
        "begun": .integer(Int64(scans.begun.withLock { $0 })),
      ])
  }

  /// A page with a client of the bridge: `ask(domain, method, params)` sends a request and returns a promise.
  static func page(_ script: String) -> BundledContent {
    let client = """
      <!doctype html><title>launch</title><script>
      const waiting = new Map();
      window.SelfNativeBridge = {
        _handleResponse(text) { const m = JSON.parse(text); waiting.get(m.requestId)?.(m); }, _handleEvent() {},
      };
      function ask(domain, method, params = {}) {
        const id = String(Math.random());
        return new Promise((resolve) => {
          waiting.set(id, resolve);
          webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify(
            {type: "request", version: 1, id, domain, method, params, timestamp: Date.now()}));
        });
      }
      \(script)
      </script>
      """
    return BundledContent(
      name: "ending", files: ["index.html": BundledContent.File(mediaType: "text/html", bytes: Array(client.utf8))],
      securityPolicy: "default-src 'none'; script-src 'unsafe-inline'")
  }
}

extension LaunchWindow {
  /// Waits until a page with rights has begun, or a notice says why there is none, or the launch has ended.
  func begun(hasEnded: () -> Bool = { false }) async {
    _ = try? await becomesTrue(within: .seconds(600)) { view.document != nil || window.showsNotice || hasEnded() }
    // Its scripts have run.
    _ = try? await becomesTrue(within: .seconds(600)) {
      if window.showsNotice || hasEnded() { return true }
      return (try? await view.evaluate("document.readyState")) == "\"complete\""
    }
  }
}

/// Counts what a host is told.
private final class CountingHost: LaunchHost {
  let calls = Locked<[String]>([])

  func onSuccess(_ result: VerificationResult) async { calls.withLock { $0.append("success") } }
  func onFailure(_ error: VerificationError) async { calls.withLock { $0.append("failure") } }
  func onCancelled() async { calls.withLock { $0.append("cancelled") } }
  func dismiss() async { calls.withLock { $0.append("dismiss") } }
}

/// A reader on which no document is ever laid.
private final class WaitingNfcProvider: NfcProvider {
  let running = Locked(0)
  let begun = Locked(0)

  func isAvailable() async -> Bool { true }

  func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> NfcScanResult {
    running.withLock { $0 += 1 }
    begun.withLock { $0 += 1 }
    defer { running.withLock { $0 -= 1 } }
    try await untilCancelled()
    throw BridgeError("NFC_SCAN_FAILED", "No document.")
  }

  func cancelScan() async {}
}
