import FoundationEssentials
import RampKit
import TesseraBridge
import TesseraHTTPClient
import TesseraThreads
import TesseraWebContent

/// A program that shows flows by the API, with services that record. Argument: a folder for its state.
@MainActor
enum Hosting {
  static func run(_ arguments: [String]) async throws {
    let services = Recorder()
    let core = RampKitCore(services: services.services(folder: arguments.first ?? "/proc/nonexistent"))
    var config = RampKitConfig()
    config.appName = "desk"
    config.bundleId = "org.example.Desk"
    var paywalls: [JSONValue] = []
    var finished: [JSONValue] = []
    config.onShowPaywall = { paywalls.append($0 ?? .null) }
    config.onOnboardingFinished = { finished.append($0 ?? .null) }
    await core.configure(config: config)
    core.setOnboarding(.numbered(2), isPartOfProgram: true)
    core.setVariable("onboarding.seat", "visible")

    let flow = try await shown(core)
    try await flow.send("{type: 'rampkit:show-paywall', payload: {paywallId: 'pw'}}")
    for haptic in [
      "{type: 'rampkit:haptic', hapticType: 'impact', impactStyle: 'heavy'}",
      "{type: 'rampkit:haptic', hapticType: 'notification', notificationType: 'Warning'}",
      "{type: 'rampkit:haptic', hapticType: 'selection'}",
    ] {
      let count = services.haptics.withLock { $0.count }
      try await flow.send(haptic)
      try await flow.until { services.haptics.withLock { $0.count } > count }
    }
    for _ in 0..<3 { try await flow.send("'rampkit:review'") }
    try await flow.until { services.opened.withLock { !$0.isEmpty } }
    observe("host variable", try await flow.value("window.__rampkitVariables['onboarding.seat']"))
    // Nothing shows notifications; then the user refused; then the user allowed them, and is not asked again.
    var statuses: [JSONValue] = []
    let status = "window.__rampkitVariables.notificationsPermission?.status"
    try await flow.send("'rampkit:request-notification-permission'")
    try await flow.wait("\(status) !== undefined")
    statuses.append(try await flow.value(status))
    observe("not yet", .bool(await core.notify(title: "Title", body: "")))
    services.showsNotifications.withLock { $0 = true }
    for (allows, expected) in [(false, "denied"), (true, "granted")] {
      core.decideNotifications(allows)
      try await flow.send("'rampkit:request-notification-permission'")
      try await flow.wait("\(status) === '\(expected)'")
      statuses.append(try await flow.value(status))
    }
    observe("notifications", .array(statuses))
    _ = await core.notify(title: "Title", body: "text")
    observe("notified", .array([false] + services.notified.withLock { $0.map { .string($0) } }))
    try await flow.send("{type: 'rampkit:variables', vars: {name: 'Ada'}}")
    try await flow.send("{type: 'rampkit:onboarding-finished', payload: {ok: true}}")
    observe("outcome", .string((await core.waitUntilClosed())?.rawValue ?? "none"))
    observe("paywall", .array(paywalls))
    observe("finished", .array(finished))
    var answers = await core.getAnswers()
    answers["notificationsPermission"] = nil
    observe("answers", .object(answers))
    let stored = RampKitCore(services: services.services(folder: arguments.first ?? "/proc/nonexistent"))
    await stored.configure(config: config)
    var again = await stored.getAnswers()
    again["notificationsPermission"] = nil
    observe("stored", .object(again))
    observe("haptics", .array(services.haptics.withLock { $0.map { .string($0) } }))
    observe("reviews", .array(services.opened.withLock { $0.map { .string($0) } }))

    // The program closes the flow, and has a paywall for this showing.
    var options = ShowOnboardingOptions()
    var own: [JSONValue] = []
    options.onShowPaywall = { own.append($0 ?? .null) }
    let second = try await shown(core, options)
    try await second.send("{type: 'rampkit:show-paywall', payload: {paywallId: 'own'}}")
    core.closeOnboarding()
    observe("closed", .string((await core.waitUntilClosed())?.rawValue ?? "none"))
    observe("own paywall", .array(own))
    try await hardware(core, config)
  }

  /// The bridge in a flow that the program did not name, and in one that it did.
  private static func hardware(_ core: RampKitCore, _ config: RampKitConfig) async throws {
    let unnamed = try await shown(core)
    observe(
      "unnamed", try await unnamed.value("Object.keys(webkit.messageHandlers).filter((name) => name !== 'rampkit')"))
    core.closeOnboarding()
    await core.waitUntilClosed()
    var config = config
    config.hardware["numbered"] = [Grant.Permission(.haptic)]
    await core.configure(config: config)
    core.setOnboarding(.numbered(1), isPartOfProgram: true)
    let named = try await shown(core)
    _ = try await named.value(
      """
      window.answers = {};
      window.SelfNativeBridge = {_handleResponse(text) {
        const answer = JSON.parse(text); answers[answer.requestId] = answer.success ? "success" : answer.error.code;
      }, _handleEvent() {}};
      for (const method of ["haptic.isAvailable", "crypto.getPublicKey", "lifecycle.getConfig"]) {
        const [domain, name] = method.split(".");
        webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify(
          {type: "request", version: 1, id: method, domain, method: name, params: {}, timestamp: 1}));
      }
      null
      """)
    try await named.wait("Object.keys(answers).length === 3")
    observe(
      "named",
      try await named.value("Object.keys(answers).sort().map((name) => `${name} ${answers[name]}`)"))
    core.closeOnboarding()
    await core.waitUntilClosed()
  }

  private static func shown(
    _ core: RampKitCore, _ options: ShowOnboardingOptions = ShowOnboardingOptions()
  ) async throws -> FirstPage {
    try core.show(options)
    guard let overlay = core.overlay else { throw ScenarioError(description: "no overlay") }
    let page = FirstPage(overlay: overlay)
    try await page.wait("document.readyState === 'complete' && window.__rampkitVariables !== undefined")
    try await page.until { !overlay.isMoving }
    return page
  }
}

/// The page that a flow shows first.
@MainActor
private struct FirstPage {
  let overlay: RampKitOverlayController

  func send(_ message: String) async throws {
    _ = try await overlay.views[0].evaluate("window.webkit.messageHandlers.rampkit.postMessage(\(message))")
    await overlay.views[0].settle()
  }

  func value(_ script: String) async throws -> JSONValue {
    try await overlay.views[0].evaluate(script).map { try JSONValue(text: $0) } ?? .null
  }

  func wait(_ condition: String) async throws {
    let isTrue = try await becomesTrue(within: .seconds(30)) {
      (try? await overlay.views[0].evaluate(condition)) == "true"
    }
    guard isTrue else { throw ScenarioError(description: "\(condition) was not true within 30 seconds") }
  }

  func until(_ condition: () -> Bool) async throws {
    guard try await becomesTrue(within: .seconds(30), condition) else {
      throw ScenarioError(description: "nothing happened within 30 seconds")
    }
  }
}

/// Services of RampKit that keep what they were asked.
private final class Recorder: Sendable {
  let haptics = Locked<[String]>([])
  let opened = Locked<[String]>([])
  let notified = Locked<[String]>([])
  let showsNotifications = Locked(false)
  private let storage = Storage()

  func services(folder: String) -> RampKitServices {
    RampKitServices(
      transport: HTTPSClient(environment: ["TESSERA_OFFLINE": "1"]), storage: storage,
      haptics: Haptics(recorder: self),
      links: Links(recorder: self), notifications: Notifications(recorder: self),
      environment: ["XDG_STATE_HOME": folder, "LANG": "C"], now: { Date() })
  }

  private struct Haptics: HapticProvider {
    let recorder: Recorder
    func isAvailable() async -> Bool { true }
    func impact(_ style: HapticImpactStyle) async { recorder.haptics.withLock { $0.append("impact \(style)") } }
    func notification(_ type: HapticNotificationType) async {
      recorder.haptics.withLock { $0.append("notification \(type)") }
    }
    func selection() async { recorder.haptics.withLock { $0.append("selection") } }
  }

  private struct Links: LinkOpening {
    let recorder: Recorder
    func open(_ address: String) async -> Bool {
      recorder.opened.withLock { $0.append(address) }
      return true
    }
  }

  private struct Notifications: NotificationShowing {
    let recorder: Recorder
    func isPossible() async -> Bool { recorder.showsNotifications.withLock { $0 } }
    func show(application: String, title: String, body: String) async -> Bool {
      recorder.notified.withLock { $0.append("\(application): \(title)") }
      return true
    }
  }

  private final class Storage: SecureStorageProvider {
    private let values = Locked<[[String]: String]>([:])
    func get(_ key: String, for caller: Caller) async throws -> String? {
      values.withLock { $0[["\(caller)", key]] }
    }
    func set(_ key: String, _ value: String, for caller: Caller) async throws {
      values.withLock { $0[["\(caller)", key]] = value }
    }
    func remove(_ key: String, for caller: Caller) async throws { values.withLock { $0[["\(caller)", key]] = nil } }
    func clear(for caller: Caller) async throws { values.withLock { $0 = [:] } }
  }
}
