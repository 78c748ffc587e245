import Glibc
import TesseraBridge
import TesseraWindow
import TestSupport

/// What a host learns of the load of a page, on a clock that only this scenario moves. Argument: the port of `site.py`.
@MainActor
enum Loads {
  @MainActor
  private final class Load {
    let clock = ManualClock()
    var progress: [LoadProgress] = []
    let session = LaunchSession(Launch(mode: .embed))
    let window: LaunchWindow
    private var running: Task<Void, Never>?

    init(_ content: LaunchContent, isKiosk: Bool = false) throws {
      var configuration = LaunchConfiguration()
      configuration.isKiosk = isKiosk
      let report = Report()
      configuration.onLoadProgress = { report.load?.progress.append($0) }
      let router = MessageRouter(
        handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry(), session: session))
      window = try LaunchWindow(content, session, router, configuration, clock: clock)
      report.load = self
      running = Task { [window] in await window.run() }
    }

    /// Waits until this many stages were told.
    func stages(_ count: Int) async throws {
      guard try await becomesTrue(within: .seconds(600), { progress.count >= count }) else {
        throw ScenarioError(description: "\(progress)")
      }
    }

    /// The same, and gives a further stage the time to follow.
    func lastStages(_ count: Int) async throws {
      try await stages(count)
      try await letPass(.milliseconds(500))
    }

    func passSlow() async throws {
      try await clock.advance(whenAwaited: .seconds(3))
      try await clock.advance(whenAwaited: .seconds(7))
    }

    /// Closes the window as the user does, and observes everything.
    func close(_ name: String, _ more: JSONObject = [:]) async {
      let hasNotice = window.window.showsNotice
      window.window.onCloseRequest?()
      let outcome =
        switch await session.outcome {
        case .succeeded: "succeeded"
        case .failed(let error): "failed \(error.code)"
        case .cancelled: "cancelled"
        }
      await running?.value
      observe(
        name,
        .object([
          "covered": more["covered"] ?? .null,
          "shown": .array(progress.filter { $0.problem?.kind == .timeout }.map { .bool($0.isPageShown) }),
          "stages": .array(progress.map { .string($0.stage.rawValue) }), "outcome": .string(outcome),
          "notice": .bool(hasNotice),
          "problems": .array(
            progress.compactMap(\.problem).map {
              [.string($0.kind.rawValue), .string($0.source.rawValue), .object($0.detail)]
            }),
        ]))
    }
  }

  @MainActor
  private final class Report {
    weak var load: Load?
  }

  static func run(_ arguments: [String]) async throws {
    let site = "http://127.0.0.1:\(arguments.first ?? "9")"
    let ready = "ask('lifecycle', 'ready', {})"

    var load = try Load(.bundled(Endings.page(ready)))
    try await load.stages(2)
    await load.close("ready")

    load = try Load(.bundled(Endings.page("ask('lifecycle', 'getConfig')")))
    await load.window.begun()
    try await becomesTrue { load.window.view.document != nil }
    // Loaded, as WebKit says after the scripts.
    try await becomesTrue { (try? await load.window.view.evaluate("document.readyState")) == "\"complete\"" }
    try await letPass(.milliseconds(200))
    try await load.passSlow()
    try await load.stages(3)
    await load.close("never ready")

    load = try Load(.address("\(site)/hangs.html", isDebug: true))
    try await becomesTrue { load.window.view.document != nil }
    try await load.passSlow()
    try await load.stages(3)
    await load.close("hanging picture")

    load = try Load(.address("\(site)/late", isDebug: true))
    try await load.passSlow()
    try await load.stages(3)
    let isCovered = try await becomesTrue { load.window.window.showsNotice }
    let other = try Load(.address("\(site)/release", isDebug: true))
    try await becomesTrue { !load.window.window.showsNotice }
    await load.close("late", ["covered": .bool(isCovered)])
    await other.close("release")

    load = try Load(
      .bundled(
        Endings.page(
          """
          for (const own of [{}, {ping: 1}, {type: "request"}, {id: "a", domain: "haptic"},
            {type: "hello", id: "a", domain: "haptic"}]) {
            webkit.messageHandlers.SelfNativeIOS.postMessage(own);
          }
          \(ready)
          """)))
    try await load.stages(2)
    await load.close("messages of the page's own")

    load = try Load(.address("\(site)/stall", isDebug: true))
    try await load.passSlow()
    try await load.stages(3)
    try await becomesTrue { load.window.window.showsNotice }
    load.window.window.pressNotice()
    try await load.stages(4)
    try await load.passSlow()
    try await load.stages(6)
    await load.close("stalls, twice")

    load = try Load(.address("http://127.0.0.1:2/", isDebug: true))
    try await load.stages(2)
    await load.close("no server")

    load = try Load(.address("\(site)/broken", isDebug: true))
    try await load.stages(2)
    await load.close("server error")

    load = try Load(.bundled(Endings.page(ready)))
    try await load.stages(2)
    for process in Descendants.named("WebKitWebProcess") { kill(process, SIGKILL) }
    try await load.stages(3)
    await load.close("crash after ready")

    for (name, version) in [("version 2", "version: 2, "), ("no version", "")] {
      load = try Load(
        .bundled(
          Endings.page(
            """
            webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify(
              {type: "request", \(version)id: "a", domain: "lifecycle", method: "ready", params: {}, timestamp: 1}));
            """)))
      try await load.stages(2)
      try await becomesTrue { load.window.window.showsNotice }
      if name == "no version" {
        load.window.window.pressNotice()
        try await load.stages(4)
      }
      await load.close(name)
    }

    load = try Load(
      .bundled(
        Endings.page(
          """
          webkit.messageHandlers.SelfNativeIOS.postMessage(\(otherRequest(version: 2)));
          setInterval(() => ask('lifecycle', 'setResult', {success: true, userId: 'u'}), 10);
          setTimeout(() => window.close(), 50);
          setTimeout(() => location.reload(), 100);
          """)))
    try await load.lastStages(2)
    await load.close("version 2, then a result")

    load = try Load(.address("\(site)/repeats", isDebug: true))
    try await load.stages(2)
    try await becomesTrue { load.window.window.showsNotice }
    load.window.window.pressNotice()
    try await load.lastStages(3)
    await load.close("repeats")

    load = try Load(
      .bundled(Endings.page("webkit.messageHandlers.SelfNativeIOS.postMessage(\(otherRequest(version: 2)))")),
      isKiosk: true)
    try await load.stages(2)
    try await becomesTrue { load.window.window.showsNotice }
    load.window.window.pressNotice()
    try await load.stages(4)
    try await becomesTrue { load.window.window.showsNotice }
    await load.close("version 2 in a kiosk")
  }

  /// A request of another version, as an object of JavaScript.
  private static func otherRequest(version: Int) -> String {
    "{type: 'request', version: \(version), id: 'a', domain: 'lifecycle', method: 'ready', params: {}, timestamp: 1}"
  }
}
