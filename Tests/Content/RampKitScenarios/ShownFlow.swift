import RampKit
import TesseraBridge
import TesseraWebContent

/// A flow that is shown, and everything that it asked its host for.
@MainActor
final class ShownFlow {
  let overlay: RampKitOverlayController
  private(set) var events: [FlowEvent] = []
  private(set) var played: [HapticWord] = []
  private(set) var reviews = 0
  private(set) var opened: [String] = []
  private(set) var finished: [JSONValue] = []
  private(set) var paywalls: [JSONValue] = []
  private(set) var logs: [String] = []
  private(set) var keeps = 0
  /// The time of each frame, and what it showed.
  private(set) var frames: [(time: Duration, frame: OverlayFrame)] = []
  /// The time of the last one, or that of the clock. GTK's time of a frame can be earlier or later than the clock, and
  /// a movement ends by what comes first.
  private(set) var lastDrawing = Duration.zero
  /// The status that the next question about notifications has.
  var notifications: JSONValue?

  init(
    _ flow: OnboardingData, locale: String = "en_US", options: ShowOnboardingOptions = ShowOnboardingOptions(),
    bridge: ContentChannel? = nil
  ) {
    let box = Box()
    overlay = RampKitOverlayController(
      flow, context: nil, locale: locale, options: options, hooks: box.hooks, bridge: bridge)
    box.owner = self
    overlay.onFrame = { [weak self] in
      self?.frames.append(($0, $1))
      self?.lastDrawing = max($0, MainLoop.now)
    }
  }

  /// Shows the flow, and waits until all pages are loaded.
  func show() async throws {
    overlay.showOverlay()
    for page in overlay.views.indices {  // The empty page before it is complete, too.
      try await wait(page, "document.readyState === 'complete' && window.__rampkitVariables !== undefined")
    }
    try await rest()
  }

  /// Waits until nothing moves.
  func rest() async throws { try await until { !self.overlay.isMoving } }

  func until(_ condition: () -> Bool) async throws {
    guard try await becomesTrue(within: .seconds(30), condition) else {
      throw ScenarioError(description: "nothing happened within 30 seconds")
    }
  }

  func wait(_ page: Int, _ condition: String) async throws {
    // The page may not be there yet, or not any more.
    let isTrue = try await becomesTrue(within: .seconds(30)) {
      (try? await overlay.views[page].evaluate(condition)) == "true"
    }
    guard isTrue else {
      throw ScenarioError(description: "page \(page): \(condition) was not true within 30 seconds")
    }
  }

  func value(_ page: Int, _ script: String) async throws -> JSONValue {
    try await overlay.views[page].evaluate(script).map { try JSONValue(text: $0) } ?? .null
  }

  /// Sends a message as a page does. It arrives before the function returns.
  func send(_ message: String, from page: Int) async throws {
    _ = try await overlay.views[page].evaluate("window.webkit.messageHandlers.rampkit.postMessage(\(message))")
    await overlay.views[page].settle()
  }

  /// Forgets the frames so far.
  func takeFrames() -> [(time: Duration, frame: OverlayFrame)] {
    defer { frames = [] }
    return frames
  }

  @MainActor
  private final class Box {
    weak var owner: ShownFlow?

    var hooks: RampKitOverlayController.Hooks {
      var hooks = RampKitOverlayController.Hooks()
      hooks.play = { [self] in owner?.played.append($0) }
      hooks.requestReview = { [self] in owner?.reviews += 1 }
      hooks.requestNotifications = { [self] _ in owner?.notifications }
      hooks.open = { [self] in owner?.opened.append($0) }
      hooks.finished = { [self] in owner?.finished.append($0 ?? .null) }
      hooks.showPaywall = { [self] in owner?.paywalls.append($0 ?? .null) }
      hooks.keepAnswers = { [self] _ in owner?.keeps += 1 }
      hooks.report = { [self] in owner?.events.append($0) }
      hooks.log = { [self] in owner?.logs.append($0) }
      return hooks
    }
  }
}

extension OnboardingData {
  /// Pages with their number as text.
  static func numbered(_ count: Int, js: String = "") -> OnboardingData {
    var flow = OnboardingData()
    flow.onboardingId = "numbered"
    flow.screens = (0..<count).map {
      ScreenPayload(
        id: "s\($0)", html: "<h1>Page \($0)</h1><p>${name}</p>",
        css: "body { background: hsl(\($0 * 36), 60%, 85%); }", js: js)
    }
    flow.variables = [OnboardingVariable(name: "name", initialValue: "")]
    return flow
  }
}
