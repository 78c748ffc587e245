#if canImport(CTesseraWebKitGTK)
  import RampKitFlow
  import TesseraBridge
  import TesseraCore
  import TesseraWebContent
  import TesseraWindow

  /// One flow in a window: the pages, the transitions between them, and what pages ask the program for.
  ///
  /// `FlowSession` decides what happens; this type does it.
  @MainActor
  public final class RampKitOverlayController {
    /// What the overlay needs of the program.
    package struct Hooks {
      package var play: @MainActor (HapticEvent) -> Void = { _ in }
      package var requestReview: @MainActor () -> Void = {}
      /// Asks the person; the window is there for a dialog. The result goes to the pages.
      package var requestNotifications: @MainActor (ContentWindow) async -> JSONValue? = { _ in nil }
      package var open: @MainActor (String) -> Void = { _ in }
      package var finished: @MainActor (JSONValue?) -> Void = { _ in }
      package var showPaywall: @MainActor (JSONValue?) -> Void = { _ in }
      package var keepAnswers: @MainActor (JSONObject) -> Void = { _ in }
      package var report: @MainActor (FlowEvent) -> Void = { _ in }
      package var log: @MainActor (String) -> Void = { _ in }

      package init() {}
    }

    /// Answers of the pages are sent to each other no more often than this.
    private static let broadcastInterval = Duration.milliseconds(16)

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
    private var lastBroadcast = Duration.zero
    private var broadcast: Task<Void, Never>?
    private var reports: Task<Void, Never>?
    private var question: Task<Void, Never>?
    private var outcome: FlowOutcome?
    private var waiters: [CheckedContinuation<FlowOutcome, Never>] = []

    /// - Parameter hardware: makes the channel to the hardware for the flow's origin and window.
    package init(
      _ flow: OnboardingData, context: PageContext?, locale: String, options: ShowOnboardingOptions, hooks: Hooks,
      hardware: ((_ origin: String, _ window: ContentWindow) throws -> ContentChannel)? = nil
    ) throws {
      let isRightToLeft = PageLocale.isRightToLeft(locale)
      let timing = ContentWindow.showsAnimations ? FlowTiming.standard : .withoutAnimations
      makeSession = { FlowSession(flow, at: MainLoop.now, timing: timing, isRightToLeft: isRightToLeft) }
      self.hooks = hooks
      self.options = options
      let window = ContentWindow(
        title: options.title ?? "Tessera", width: options.size.width, height: options.size.height)
      self.window = window
      pages = try FlowPages(
        flow, context: context, variables: SharedVariables(flow.variables).values, locale: locale,
        isHardened: options.isHardened, hardware: hardware.map { make in { try make($0, window) } })
      pages.onLoaded = { [weak self] in self?.pageLoaded($0) }
      pages.onFailure = { [weak self] index, _ in self?.pageFailed(index) }
      pages.onMessage = { [weak self] in self?.received($1, from: $0) }
      for view in pages.views {
        window.add(view)
        window.setShown(false, view)
      }
      window.setOpacity(0)
      window.setCurtain(1)
    }

    /// Loads the pages before the flow is shown. Idempotent.
    public func preloadOverlay() {
      guard !isLoading else { return }
      isLoading = true
      pages.load()
    }

    /// Shows the flow. A second call does nothing.
    public func showOverlay() {
      guard session == nil, outcome == nil else { return }
      preloadOverlay()
      session = makeSession()
      window.onCloseRequest = { [weak self] in self?.closeOverlay() }
      window.onBack = { [weak self] in self?.apply { $0.wentBack(at: $1) } }
      if options.fillsScreen { window.fillScreen() }
      window.present()
      apply { session, _ in session.begin() }
      for index in loaded.sorted() { pageLoaded(index) }
      move()
    }

    /// Sets a variable; the pages receive it.
    package func set(_ name: String, _ value: JSONValue) { apply { $0.set(name, value, at: $1) } }

    /// Closes the flow as if the person had closed it.
    public func closeOverlay() { apply { $0.closed(at: $1) } }

    /// Removes the flow at once, without its last movement. Nothing is reported but what was reported before.
    public func hideOverlay() { end(.closed) }

    /// The way in which the flow ended, when it has.
    public func waitUntilClosed() async -> FlowOutcome {
      if let outcome { return outcome }
      return await withCheckedContinuation { waiters.append($0) }
    }

    /// The present values of the shared variables, without those of the program.
    public var answers: JSONObject { session?.variables.answers ?? [:] }

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

    private func pageFailed(_ index: Int) {
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
      scheduleReports()
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
      case .open(let address): hooks.open(address)
      case .finished(let payload): hooks.finished(payload)
      case .showPaywall(let payload): (options.onShowPaywall ?? hooks.showPaywall)(payload)
      case .keepAnswers: hooks.keepAnswers(answers)
      case .report(let event): hooks.report(event)
      case .log(let text): hooks.log(text)
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

    private func askForNotifications() {
      // One question at a time; its answer is for all pages.
      guard question == nil else { return }
      question = Task { [weak self] in
        guard let self else { return }
        let answer = await hooks.requestNotifications(window)
        question = nil
        guard let answer else { return }
        hooks.report(FlowEvent("notifications_response", ["status": answer["status"] ?? .null]))
        apply { $0.set(NotificationPermission.variable, answer, at: $1) }
      }
    }

    // MARK: - Variables

    /// A page that sends many messages must not make all pages work as often.
    private func scheduleBroadcast() {
      guard broadcast == nil else { return }
      let delay = lastBroadcast + Self.broadcastInterval - MainLoop.now
      broadcast = Task { [weak self] in
        if delay > .zero { try? await Task.sleep(for: delay) }
        self?.sendVariables()
      }
    }

    private func sendVariables() {
      broadcast = nil
      lastBroadcast = MainLoop.now
      let pages = waiting
      waiting = []
      guard let values = session?.variables.values else { return }
      for page in pages { self.pages.send(.variables(values), to: page) }
    }

    private func scheduleReports() {
      reports?.cancel()
      reports = nil
      guard let due = session?.nextDue else { return }
      reports = Task { [weak self] in
        guard (try? await Task.sleep(for: max(.zero, due - MainLoop.now))) != nil else { return }
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
      window.close()
      pages.close()
      for waiter in waiters { waiter.resume(returning: outcome) }
      waiters = []
    }
  }
#endif
