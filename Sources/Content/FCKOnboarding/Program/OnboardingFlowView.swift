public import CTesseraWebKitGTK
import FCKOnboardingClient
import FCKOnboardingFlow
import TesseraBridge
import TesseraWebContent

/// A flow as a widget of GTK, for any place of a program.
///
/// The program keeps the object for as long as it shows the widget. The flow counts as seen when the widget is shown
/// for the first time. Answers and events go to `FCKOnboarding.shared`, if it is configured. The program marks the
/// flow as completed.
@MainActor
public final class OnboardingFlowView {
  /// The widget, for a container of GTK.
  public let widget: UnsafeMutablePointer<GtkWidget>
  /// Called if an HTML page ends unexpectedly.
  var onFailure: (@MainActor (Failure) -> Void)?

  private let controller: FlowController
  private let reports: ShowingReports?
  private let actions = WidgetActions()
  private var hasBegun = false
  private var hasEnded = false

  /// - Parameter onComplete: called once, at the end: whether the user completed the flow, or else skipped it.
  public convenience init(config: FlowConfig, onComplete: @escaping @MainActor (Bool) -> Void) {
    self.init(config, of: .shared) { onComplete($0.outcome == .completed) }
    actions.on(widget, "map") { [weak self] in self?.begin() }
  }

  /// The owner calls `begin()`.
  package init(
    _ flow: FlowConfig, of onboarding: FCKOnboarding, usesPage: Bool = false,
    onFinished: @escaping @MainActor (FlowReport) -> Void
  ) {
    let reports = onboarding.isConfigured ? ShowingReports(onboarding.services.client, flowId: flow.flowId) : nil
    self.reports = reports
    var hooks = FlowController.Hooks()
    hooks.play = { [haptics = onboarding.services.haptics] intensity in
      Task { await intensity.play(on: haptics) }
    }
    hooks.report = { reports?.add($0) }
    hooks.keepAnswers = { reports?.keep($0) }
    hooks.log = { [logger = onboarding.logger] in logger.warning("\($0)") }
    hooks.finished = onFinished
    let words = FlowWords(numberFormat: onboarding.services.numberFormat)
    let page = usesPage ? FlowPageView(flow, words: words) : nil
    let surface: any FlowSurface = page ?? NativeSurface(flow, words: words, pictures: onboarding.pictures)
    controller = FlowController(on: surface, hooks)
    widget = surface.widget
    page?.onFailure = { [weak self] in
      self?.onFailure?(Failure(.serviceUnavailable, $0.message, remedy: "Show the flow again."))
    }
  }

  isolated deinit {
    actions.end()
    controller.surface.close()
  }

  /// Shows the first screen. A second call does nothing.
  package func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    controller.begin()
  }

  /// Ends the flow as if the user had skipped it.
  public func skip() { controller.skip() }

  /// Goes to the screen before; from the first one, out of the flow.
  public func goBack() { controller.goBack() }

  /// The answers until now, by their keys, in the order of the document.
  public var answers: FlowAnswers { controller.surface.session.answers }

  package var screenIndex: Int { controller.surface.session.screenIndex }

  /// Gives the keyboard's focus to the first control.
  public func focusFirst() { controller.surface.focusFirst() }

  /// Ends the drawing, and waits until the client has the answers and the events.
  package func end() async {
    if !hasEnded { controller.surface.close() }
    hasEnded = true
    await reports?.finish()
  }

  // MARK: - For tests

  /// The widget that gets the keyboard's focus for an element of the shown screen.
  package func control(of elementId: String) -> UnsafeMutablePointer<GtkWidget>? {
    (controller.surface as? NativeSurface)?.screens.screen?.root.find(elementId)?.focusTarget
  }

  /// The outermost widget of an element of the shown screen.
  package func widget(of elementId: String) -> UnsafeMutablePointer<GtkWidget>? {
    (controller.surface as? NativeSurface)?.screens.screen?.root.find(elementId)?.widget
  }

  /// The page; nil for widgets.
  package var page: ContentView? { (controller.surface as? FlowPageView)?.view }

  /// The number of styles that the program uses for flows.
  package static var styleCount: Int { StyleSheet.styleCount }

  /// Does what the user does.
  package func receive(_ input: FlowInput) { controller.surface.received(input) }

  /// The screen as it is drawn now.
  package var screen: RenderNode? { controller.surface.session.screen }
}

/// Passes the events and the answers of one showing to the client, in their order. Of answers that change while a
/// write goes on, the newest are written next.
@MainActor
final class ShowingReports {
  private let client: OnboardingClient
  private let flowId: String?
  private var events: [ShowingEvent] = []
  private var answers: FlowAnswers?
  private var sending: Task<Void, Never>?

  init(_ client: OnboardingClient, flowId: String?) {
    self.client = client
    self.flowId = flowId
  }

  func add(_ event: ShowingEvent) {
    // The client reports it itself, once, when the flow is marked as completed.
    guard event.name != .flowCompleted else { return }
    events.append(event)
    send()
  }

  func keep(_ answers: FlowAnswers) {
    self.answers = answers
    send()
  }

  /// Waits until the client has everything.
  func finish() async {
    while let sending { await sending.value }
  }

  private func send() {
    guard sending == nil else { return }
    sending = Task {
      while let next = next() { await pass(next.event, next.answers) }
      sending = nil
    }
  }

  private func next() -> (event: ShowingEvent?, answers: FlowAnswers?)? {
    let event = events.isEmpty ? nil : events.removeFirst()
    defer { answers = nil }
    return event == nil && answers == nil ? nil : (event, answers)
  }

  private func pass(_ event: ShowingEvent?, _ answers: FlowAnswers?) async {
    if let answers { await client.saveResponses(answers) }
    guard let event else { return }
    let metadata: JSONObject = event.name == .screenViewed ? ["screenId": .string(event.screenId)] : [:]
    // Without a configuration there is nobody who wants it.
    try? await client.trackEvent(
      name: event.name.rawValue, flowId: flowId, screenIndex: event.screenIndex, metadata: metadata)
  }
}
