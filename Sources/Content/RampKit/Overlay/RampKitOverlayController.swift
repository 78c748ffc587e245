import RampKitFlow
import TesseraBridge
import TesseraCore
import TesseraLocales
import TesseraWebContent
import TesseraWindow

/// One flow in a window: the pages, the transitions between them, and what pages ask the program for.
///
/// `FlowSession` decides what happens; this type does it.
@MainActor
package final class RampKitOverlayController {
  /// What the overlay needs of the program.
  package struct Hooks {
    package var play: @MainActor (HapticWord) -> Void = { _ in }
    package var requestReview: @MainActor () -> Void = {}
    /// Asks the user; the window is there for a dialog. The result goes to the pages.
    package var requestNotifications: @MainActor (ContentWindow) async -> JSONValue? = { _ in nil }
    package var open: @MainActor (String) -> Void = { _ in }
    package var finished: @MainActor (JSONValue?) -> Void = { _ in }
    package var showPaywall: @MainActor (JSONValue?) -> Void = { _ in }
    package var keepAnswers: @MainActor (JSONObject) -> Void = { _ in }
    package var report: @MainActor (FlowEvent) -> Void = { _ in }
    package var log: @MainActor (String) -> Void = { _ in }
    /// What a page says of itself, which can contain what the user typed.
    package var debug: @MainActor (String) -> Void = { _ in }

    package init() {}
  }

  /// Variables are sent to the pages no more often than this, and less often if they are large.
  private static let broadcastInterval = Duration.milliseconds(16)
  /// In each second.
  private static let broadcastBytes = 16 << 20
  /// A page opens addresses so long after the user pressed something, as in browsers.
  private static let activation = Duration.seconds(5)

  package let window: ContentWindow
  private let pages: FlowPages
  private let hooks: Hooks
  private let options: ShowOnboardingOptions
  private let makeSession: @MainActor () -> FlowSession
  private var session: FlowSession?
  private var loaded: Set<Int> = []
  private var isLoading = false
  /// Pages that have not received the newest variables.
  private var waiting: Set<Int> = []
  /// When variables may be sent again.
  private var nextBroadcast = Duration.zero
  private var due: Duration?
  private let appearance = SystemAppearance()
  private var broadcast: Task<Void, Never>?
  private var reports: Task<Void, Never>?
  private var question: Task<Void, Never>?
  private var outcome: FlowOutcome?
  private var waiters: [CheckedContinuation<FlowOutcome, Never>] = []

  /// - Parameter bridge: the channel to the hardware; nil if the flow may use none.
  package init(
    _ flow: OnboardingData, context: PageContext?, locale: String, options: ShowOnboardingOptions, hooks: Hooks,
    bridge: ContentChannel? = nil
  ) {
    let isRightToLeft = LocaleTag(locale)?.isRightToLeft ?? false
    let timing = ContentWindow.showsAnimations ? FlowTiming.standard : .withoutAnimations
    makeSession = { FlowSession(flow, at: MainLoop.now, timing: timing, isRightToLeft: isRightToLeft) }
    self.hooks = hooks
    self.options = options
    let window = ContentWindow(
      title: options.title ?? "Tessera", width: options.size.width, height: options.size.height)
    self.window = window
    pages = FlowPages(
      flow, context: context, variables: SharedVariables(flow.variables).values, locale: locale,
      isHardened: options.isHardened, bridge: bridge)
    pages.onLoaded = { [weak self] in self?.pageLoaded($0) }
    pages.onFailure = { [weak self] in self?.pageFailed($0, $1) }
    pages.onLink = { [weak self] index, address in
      self?.apply { $0.followed(address, on: index, at: $1) }
    }
    pages.onMessage = { [weak self] in self?.received($1, from: $0) }
    for view in pages.views {
      window.add(view)
      window.setShown(false, view)
    }
    window.setOpacity(0)
    window.setCurtain(1)
  }

  /// Loads the pages before the flow is shown. Idempotent.
  package func preloadOverlay() {
    guard !isLoading else { return }
    isLoading = true
    pages.load()
  }

  /// Shows the flow. A second call does nothing.
  package func showOverlay() {
    guard session == nil, outcome == nil else { return }
    preloadOverlay()
    session = makeSession()
    window.onCloseRequest = { [weak self] in self?.closeOverlay() }
    window.onBack = { [weak self] in self?.apply { $0.wentBack(at: $1) } }
    // Pages see the desktop's light or dark theme as soon as it is known.
    appearance.follow()
    if options.fillsScreen { window.fillScreen() }
    window.present()
    apply { session, _ in session.begin() }
    for index in loaded.sorted() { pageLoaded(index) }
    move()
  }

  /// Sets a variable; the pages receive it.
  package func set(_ name: String, _ value: JSONValue) { apply { $0.set(name, value, at: $1) } }

  /// Closes the flow as if the user had closed it.
  package func closeOverlay() { apply { $0.closed(at: $1) } }

  /// Removes the flow at once, without its last movement and without a report.
  package func hideOverlay() { end(.closed) }

  /// The way in which the flow ended, when it has.
  package func waitUntilClosed() async -> FlowOutcome {
    if let outcome { return outcome }
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// The present values of the shared variables, without those of the program.
  package var answers: JSONObject { session?.variables.answers ?? [:] }

  /// The index of the page that is shown.
  package var active: Int { session?.active ?? 0 }
  package var isMoving: Bool { session?.isMoving ?? false }
  package var views: [ContentView] { pages.views }
  /// Called with each frame, for tests.
  package var onFrame: (@MainActor (Duration, OverlayFrame) -> Void)?

  // MARK: - What happens

  private func pageLoaded(_ index: Int) {
    loaded.insert(index)
    apply { $0.loaded(page: index, at: $1) }
  }

  private func pageFailed(_ index: Int, _ failure: ContentFailure) {
    guard case .processEnded = failure else { return hooks.log("A page was not loaded. \(failure.message)") }
    loaded.remove(index)
    apply { $0.failed(page: index, at: $1) }
  }

  private func received(_ message: String, from index: Int) {
    apply { $0.received(message, from: index, at: $1) }
  }

  /// Passes something to the session and does what it says.
  private func apply(_ change: (inout FlowSession, Duration) -> [FlowEffect]) {
    guard session != nil, outcome == nil else { return }
    let now = MainLoop.now
    let wasMoving = isMoving
    let effects = session.map { old in
      var session = old
      defer { self.session = session }
      return change(&session, now)
    }
    for effect in effects ?? [] { perform(effect) }
    if isMoving, !wasMoving { move() }
    scheduleDue()
  }

  private func perform(_ effect: FlowEffect) {
    switch effect {
    case .sendVariables(let page):
      waiting.insert(page)
      scheduleBroadcast()
    case .sendState(let page): sendState(to: page)
    case .setVisible(let page, let isVisible): setVisible(page, isVisible)
    case .play(let event): hooks.play(event)
    case .requestReview: hooks.requestReview()
    case .requestNotificationPermission: askForNotifications()
    case .open(let address): open(address)
    case .finished(let payload): hooks.finished(payload)
    case .showPaywall(let payload): (options.onShowPaywall ?? hooks.showPaywall)(payload)
    case .keepAnswers: hooks.keepAnswers(answers)
    case .report(let event): hooks.report(event)
    case .log(let text): hooks.log(text)
    case .debug(let text): hooks.debug(text)
    case .reload(let page): pages.load(page)
    case .closed(let outcome): end(outcome)
    }
  }

  private func sendState(to page: Int) {
    guard let session else { return }
    pages.send(
      .state(
        currentIndex: session.active, screenId: session.flow.screens[session.active].id,
        totalScreens: session.flow.screens.count), to: page)
  }

  private func setVisible(_ page: Int, _ isVisible: Bool) {
    guard let session else { return }
    window.setShown(isVisible, pages.views[page])
    pages.send(
      .visible(isVisible, screenIndex: page, screenId: session.flow.screens[page].id), to: page)
    if let frame = self.session?.frame(at: MainLoop.now) { show(frame) }
  }

  private func open(_ address: String) {
    guard let input = window.lastInput, MainLoop.now - input < Self.activation else {
      return hooks.log("A page wants to open an address, but the user pressed nothing.")
    }
    hooks.open(address)
  }

  private func askForNotifications() {
    // One question at a time; its answer is for all pages.
    guard question == nil else { return }
    question = Task { [weak self] in
      guard let self else { return }
      let answer = await hooks.requestNotifications(window)
      question = nil
      guard outcome == nil, let answer else { return }
      hooks.report(FlowEvent("notifications_response", ["status": answer["status"] ?? .null]))
      apply { $0.set(NotificationPermission.variable, answer, at: $1) }
    }
  }

  // MARK: - Variables

  /// A page that sends many messages must not make all pages work as often.
  private func scheduleBroadcast() {
    guard broadcast == nil else { return }
    let delay = nextBroadcast - MainLoop.now
    broadcast = Task { [weak self] in
      if delay > .zero { try? await Task.sleep(for: delay) }
      self?.sendVariables()
    }
  }

  private func sendVariables() {
    broadcast = nil
    let pages = waiting
    waiting = []
    guard let values = session?.variables.values else { return }
    let text = HostMessage.variables(values).text
    for page in pages { self.pages.send(text, to: page) }
    let work = Double(text.utf8.count * pages.count) / Double(Self.broadcastBytes)
    nextBroadcast = MainLoop.now + max(Self.broadcastInterval, .seconds(work))
  }

  /// Calls the session when it is due: also when the window, which nobody sees, draws no frames.
  private func scheduleDue() {
    guard due != session?.nextDue else { return }
    due = session?.nextDue
    reports?.cancel()
    reports = nil
    guard let due else { return }
    reports = Task { [weak self] in
      guard (try? await Task.sleep(for: max(.zero, due - MainLoop.now))) != nil else { return }
      self?.due = nil
      self?.apply { $0.advance(to: $1) }
    }
  }

  // MARK: - Frames

  private func move() {
    window.onEachFrame { [weak self] time in self?.frame(at: time) ?? false }
  }

  /// - Returns: whether more frames are needed.
  private func frame(at time: Duration) -> Bool {
    apply { session, _ in session.advance(to: time) }
    guard let session, outcome == nil else { return false }
    let frame = session.frame(at: time)
    show(frame)
    onFrame?(time, frame)
    return session.isMoving
  }

  private func show(_ frame: OverlayFrame) {
    if let top = frame.pages.last { window.raise(pages.views[top.index]) }
    window.setOpacity(frame.opacity)
    window.setCurtain(frame.curtain)
    let width = Double(window.contentSize.width)
    for (index, view) in pages.views.enumerated() {
      let page = frame.pages.first { $0.index == index }
      let shift = page.map { $0.shiftInWidths * width + $0.shift } ?? 0
      window.move(view, opacity: page?.opacity ?? 0, shift: shift)
    }
  }

  // MARK: - The end

  private func end(_ outcome: FlowOutcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    for task in [broadcast, reports, question] { task?.cancel() }
    appearance.stop()
    window.close()
    pages.close()
    for waiter in waiters { waiter.resume(returning: outcome) }
    waiters = []
  }
}
