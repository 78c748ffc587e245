package import TesseraJSON

/// One showing of a flow: which page is active, what messages of the pages cause, and what the overlay looks like.
///
/// It has no clock, no window and no thread: its owner passes what happens and when, and does what the returned effects
/// say. Times are those of one monotonic clock.
package struct FlowSession: Sendable {
  enum Phase: Equatable {
    /// The pages load behind the curtain.
    case mounting
    case revealing(since: Duration)
    case shown
    case moving(PageTransition, isActivated: Bool)
    /// The overlay fades from what it showed.
    case dismissing(since: Duration, FlowOutcome, from: OverlayFrame)
    case closed
  }

  /// What a page that is not shown asked for, to be done when it is.
  private enum Deferred {
    case review
    case notificationPermission(NotificationPermissionOptions)
  }

  /// A page may send this many messages at once, and then so many in each second. A pointer that moves sends 60 in a
  /// second.
  private static let messageBurst = 1_000
  private static let messagesPerSecond = 200
  /// So many UTF-16 code units of messages at once, and then in each second.
  private static let lengthBurst = 8 << 20
  private static let lengthPerSecond = 1 << 20

  package let flow: OnboardingData
  package private(set) var variables: SharedVariables
  /// The index of the page that is shown.
  package private(set) var active = 0
  private(set) var phase = Phase.mounting
  private let route: ScreenOrder
  private let start: Duration
  private let timing: FlowTiming
  private let isRightToLeft: Bool
  private var reports = VariableReports()
  private var deferred: [Int: [Deferred]] = [:]
  private var hasRequestedReview = false
  private var isCompleted = false
  private var reloaded: Set<Int> = []
  private var messageLimits: [RateLimit]
  private var lengthLimits: [RateLimit]
  private var saidFlood: Set<Int> = []
  private var hapticLimit = RateLimit(burst: 10, perSecond: 10)
  private var addressLimit = RateLimit(burst: 2, perSecond: 1)

  /// - Parameters:
  ///   - flow: has one screen at least.
  ///   - time: now.
  package init(
    _ flow: OnboardingData, at time: Duration, timing: FlowTiming = .standard, isRightToLeft: Bool = false
  ) {
    self.flow = flow
    self.timing = timing
    self.isRightToLeft = isRightToLeft
    variables = SharedVariables(flow.variables)
    route = ScreenOrder(flow.screens.map(\.id), flow.navigation)
    start = time
    messageLimits = flow.screens.map { _ in RateLimit(burst: Self.messageBurst, perSecond: Self.messagesPerSecond) }
    lengthLimits = flow.screens.map { _ in RateLimit(burst: Self.lengthBurst, perSecond: Self.lengthPerSecond) }
  }

  package var isClosed: Bool { phase == .closed }

  // MARK: - What happens

  /// The overlay was made. Called once, first.
  package mutating func begin() -> [FlowEffect] {
    [.keepAnswers, .report(FlowEvent("onboarding_started", ["totalSteps": .integer(Int64(flow.screens.count))]))]
  }

  /// A page was loaded: it receives the variables. The first one reveals the overlay.
  package mutating func loaded(page: Int, at time: Duration) -> [FlowEffect] {
    guard isOpen else { return [] }
    var effects = delivery(to: page, at: time)
    effects.append(.sendState(page: page))
    if page == active {
      if phase == .mounting { phase = .revealing(since: time) }
      // After a reload, too.
      effects += activation(of: page)
    }
    return effects
  }

  /// The process of a page ended, or does not answer any more.
  package mutating func failed(page: Int, at time: Duration) -> [FlowEffect] {
    guard isOpen else { return [] }
    if reloaded.insert(page).inserted { return [.reload(page: page)] }
    return dismiss(.error, at: time)
  }

  /// A page sent a text, which is read only if the page has not sent too many.
  package mutating func received(_ text: String, from page: Int, at time: Duration) -> [FlowEffect] {
    guard isOpen, messageLimits.indices.contains(page) else { return [] }
    guard messageLimits[page].permits(at: time), lengthLimits[page].permits(text.utf16.count, at: time) else {
      guard saidFlood.insert(page).inserted else { return [] }
      return [.log("The page “\(name(page))” sends too many messages. The rest is dropped.")]
    }
    return PageMessage(text: text).map { received($0, from: page, at: time) } ?? []
  }

  private mutating func received(_ message: PageMessage, from page: Int, at time: Duration) -> [FlowEffect] {
    let isActive = page == active
    switch message {
    case .haptic(let event): return hapticLimit.permits(at: time) ? [.play(event)] : []
    case .variables(let incoming): return merge(incoming, from: page, isActive, at: time)
    case .requestVariables: return delivery(to: page, at: time)
    case .inputBlur(let name): return reports.left(name).map { [.report(event($0))] } ?? []
    case .event(let name, let properties):
      return [
        .report(FlowEvent(name, properties, screenName: self.name(page), isKnown: FlowEvent.knownNames.contains(name)))
      ]
    case .optionSelected(let id, let value, let question):
      var properties: JSONObject = ["optionId": .string(id), "optionValue": value ?? .null]
      properties["questionId"] = question.map { .string($0) }
      return [.report(FlowEvent("option_selected", properties, screenName: self.name(page)))]
    case .ctaTap(let button, let text): return [.report(tap(button ?? "", text, page))]
    case .debug(let text): return [.debug("The page “\(name(page))” says: \(text.prefix(500))")]
    case .requestReview: return request(.review, from: page)
    case .requestNotificationPermission(let options): return request(.notificationPermission(options), from: page)
    case .continue, .navigate, .goBack, .close, .onboardingFinished, .showPaywall, .openURL:
      return isActive ? receivedFromActive(message, at: time) : []
    }
  }

  /// The user followed a link to another address.
  package mutating func followed(_ address: String, on page: Int, at time: Duration) -> [FlowEffect] {
    isOpen ? received(.openURL(address), from: page, at: time) : []
  }

  /// The user pressed Escape or a similar key: the previous page, or the end before the first one.
  package mutating func wentBack(at time: Duration) -> [FlowEffect] {
    go(route.goingBack(from: active), .fade, isForward: false, at: time)
  }

  /// The user or the program closes the flow.
  package mutating func closed(at time: Duration) -> [FlowEffect] {
    guard isOpen else { return [] }
    return dismiss(.closed, at: time)
  }

  /// The host sets a variable; pages receive it.
  package mutating func set(_ name: String, _ value: JSONValue, at time: Duration) -> [FlowEffect] {
    guard isOpen, variables.set(name, value) != nil else { return [] }
    return [.keepAnswers] + broadcast(from: nil, at: time)
  }

  // MARK: - Time

  /// Whether the overlay changes with time alone: then `advance(to:)` is called for each frame.
  package var isMoving: Bool {
    switch phase {
    case .mounting, .revealing, .moving, .dismissing: true
    case .shown, .closed: false
    }
  }

  /// When `advance(to:)` must be called at the latest, also if no frame is drawn: a window that nobody sees draws none. Nil
  /// if there is no need.
  package var nextDue: Duration? {
    let end: Duration? =
      switch phase {
      case .mounting: start + timing.latestReveal
      case .revealing(let since): since + timing.reveal
      case .moving(let transition, let isActivated):
        isActivated ? transition.start + transition.span : transition.activation
      case .dismissing(let since, _, _): since + timing.dismissDelay + timing.dismiss
      case .shown, .closed: nil
      }
    return [end, isOpen ? reports.nextDue : nil].compactMap(\.self).min()
  }

  /// Time has passed.
  package mutating func advance(to time: Duration) -> [FlowEffect] {
    var effects: [FlowEffect] = []
    if isOpen { effects += reports.due(at: time).map { .report(event($0)) } }
    switch phase {
    case .mounting:
      // The user sees the page, so it is told, although it is not loaded completely.
      if time - start >= timing.latestReveal {
        phase = .revealing(since: time)
        effects += activation(of: active)
      }
    case .revealing(let since):
      if time - since >= timing.reveal { phase = .shown }
    case .moving(let transition, let isActivated):
      if !isActivated, time >= transition.activation {
        phase = .moving(transition, isActivated: true)
        effects += activate(transition.to)
      }
      if time - transition.start >= transition.span { phase = .shown }
    case .dismissing(let since, let outcome, _):
      guard time - since >= timing.dismissDelay + timing.dismiss else { break }
      phase = .closed
      effects.append(.closed(outcome))
    case .shown, .closed: break
    }
    return effects
  }

  /// What the overlay looks like.
  package func frame(at time: Duration) -> OverlayFrame {
    switch phase {
    case .mounting: OverlayFrame(opacity: 0, curtain: 1, pages: [.init(index: active)])
    case .revealing(let since):
      OverlayFrame(
        opacity: Easing.cubicOut(Easing.part(time - since, of: timing.reveal)), pages: [.init(index: active)])
    case .shown: OverlayFrame(pages: [.init(index: active)])
    case .moving(let transition, _): transition.frame(at: time)
    case .dismissing(let since, _, let shown):
      OverlayFrame(
        opacity: shown.opacity
          * (1 - Easing.cubicOut(Easing.part(time - since - timing.dismissDelay, of: timing.dismiss))),
        curtain: shown.curtain, pages: shown.pages)
    case .closed: OverlayFrame(opacity: 0)
    }
  }

  // MARK: - The active page

  private mutating func receivedFromActive(_ message: PageMessage, at time: Duration) -> [FlowEffect] {
    switch message {
    case .continue(let animation, let isTap):
      return (isTap ? [.report(tap("continue", nil, active))] : [])
        + go(route.continuing(from: active), animation, isForward: true, at: time)
    case .navigate(let target, let animation, let isTap):
      return (isTap ? [.report(tap(target ?? "", nil, active))] : [])
        + go(
          route.navigating(from: active, to: target), animation,
          isForward: target == ScreenOrder.goBackTarget ? false : nil, at: time)
    case .goBack(let animation, let isTap):
      return (isTap ? [.report(tap("back", nil, active))] : [])
        + go(route.goingBack(from: active), animation, isForward: false, at: time)
    case .close: return complete("closed", at: time) + dismiss(.closed, at: time)
    case .onboardingFinished(let payload):
      return complete("finished", at: time) + [.finished(payload: payload)] + dismiss(.finished, at: time)
    case .showPaywall(let payload):
      let id = payload?["paywallId"]?.stringValue ?? "unknown"
      var properties: JSONObject = ["paywallId": .string(id)]
      for name in ["placement", "products"] { properties[name] = payload?[name] }
      return [.report(FlowEvent("paywall_shown", properties, screenName: name(active)))]
        + complete("paywall_shown", at: time) + [.showPaywall(payload: payload)]
    case .openURL(let address):
      guard LinkAddress.isOpened(address) else {
        return [.log("The page “\(name(active))” wants to open an address that is neither http, https nor mailto.")]
      }
      return addressLimit.permits(at: time) ? [.open(address)] : []
    default: return []
    }
  }

  /// - Parameter isForward: nil if the place of the screen in the document decides.
  private mutating func go(
    _ step: ScreenOrder.Step, _ animation: NavigationAnimation, isForward: Bool?, at time: Duration
  ) -> [FlowEffect] {
    // What comes during a transition is dropped: the user saw another page when it was pressed. The end does not wait until
    // the first page has appeared.
    let isAppearing = if case .revealing = phase { true } else { phase == .mounting }
    guard phase == .shown || isAppearing && step == .start else { return [] }
    switch step {
    case .end:
      return [.play(.notification(.success))] + complete("finished", at: time) + [.finished(payload: nil)]
        + dismiss(.finished, at: time)
    case .start: return complete("closed", at: time) + dismiss(.closed, at: time)
    case .screen(let index):
      guard index != active else { return [] }
      let isForward = isForward ?? (index > active)
      phase = .moving(
        PageTransition(
          from: active, to: index, animation: animation, isForward: isForward,
          isRightToLeft: isRightToLeft, start: time, timing: timing),
        isActivated: false)
      return [
        .report(
          FlowEvent(
            "screen_navigated",
            [
              "fromScreenName": .string(name(active)), "toScreenName": .string(name(index)),
              "direction": isForward ? "forward" : "back", "trigger": "button",
            ], screenName: name(active)))
      ]
    }
  }

  private mutating func activate(_ page: Int) -> [FlowEffect] {
    let previous = active
    active = page
    return [.setVisible(page: previous, false)] + flow.screens.indices.map { .sendState(page: $0) }
      + activation(of: page)
  }

  private mutating func activation(of page: Int) -> [FlowEffect] {
    let waiting = deferred.removeValue(forKey: page) ?? []
    return [.setVisible(page: page, true)] + waiting.flatMap { request($0, from: page) }
  }

  private mutating func request(_ request: Deferred, from page: Int) -> [FlowEffect] {
    guard page == active else {
      // A page that is not shown may ask often; once is enough.
      if deferred[page, default: []].count < 2 { deferred[page, default: []].append(request) }
      return []
    }
    switch request {
    case .review:
      guard !hasRequestedReview else { return [] }
      hasRequestedReview = true
      return [.requestReview]
    case .notificationPermission(let options): return [.requestNotificationPermission(options)]
    }
  }

  // MARK: - Variables

  private mutating func merge(
    _ incoming: JSONObject, from page: Int, _ isActive: Bool, at time: Duration
  ) -> [FlowEffect] {
    let changes = variables.merge(incoming, from: page, isActive: isActive, at: time)
    guard !changes.isEmpty else { return [] }
    for change in changes { reports.changed(change, on: page, at: time) }
    return [.keepAnswers] + broadcast(from: page, at: time)
  }

  /// Sends the variables to all pages. The sender has its own values; they return to it for its templates, and do not
  /// make its next ones old.
  private mutating func broadcast(from sender: Int?, at time: Duration) -> [FlowEffect] {
    flow.screens.indices.flatMap { page -> [FlowEffect] in
      page == sender ? [.sendVariables(page: page)] : delivery(to: page, at: time)
    }
  }

  private mutating func delivery(to page: Int, at time: Duration) -> [FlowEffect] {
    variables.delivered(to: page, at: time)
    return [.sendVariables(page: page)]
  }

  // MARK: - The end

  private var isOpen: Bool {
    switch phase {
    case .mounting, .revealing, .shown, .moving: true
    case .dismissing, .closed: false
    }
  }

  private mutating func complete(_ trigger: String, at time: Duration) -> [FlowEffect] {
    guard isOpen, !isCompleted else { return [] }
    isCompleted = true
    return reports.all().map { .report(event($0)) } + [
      .report(
        FlowEvent(
          "onboarding_completed",
          [
            "timeToCompleteSeconds": .integer((time - start).components.seconds), "trigger": .string(trigger),
            "completedSteps": .integer(Int64(active + 1)), "totalSteps": .integer(Int64(flow.screens.count)),
          ], screenName: name(active)))
    ]
  }

  private mutating func dismiss(_ outcome: FlowOutcome, at time: Duration) -> [FlowEffect] {
    var effects: [FlowEffect] = [.keepAnswers] + reports.all().map { .report(event($0)) }
    if !isCompleted {
      isCompleted = true
      effects.append(
        .report(
          FlowEvent(
            "onboarding_abandoned",
            [
              "reason": outcome == .error ? "error" : "dismissed",
              "timeSpentSeconds": .integer((time - start).components.seconds), "lastScreenName": .string(name(active)),
              "completedSteps": .integer(Int64(active + 1)), "totalSteps": .integer(Int64(flow.screens.count)),
            ], screenName: name(active))))
    }
    phase = .dismissing(since: time, outcome, from: frame(at: time))
    return effects
  }

  // MARK: - Events

  private func name(_ page: Int) -> String {
    guard flow.screens.indices.contains(page) else { return "" }
    return flow.screens[page].label ?? flow.screens[page].id
  }

  private func tap(_ button: String, _ text: String?, _ page: Int) -> FlowEvent {
    var properties: JSONObject = ["buttonId": .string(button)]
    properties["buttonText"] = text.map { .string($0) }
    return FlowEvent("cta_tap", properties, screenName: name(page))
  }

  private func event(_ report: VariableReports.Report) -> FlowEvent {
    var properties: JSONObject = [
      "variableName": .string(report.name), "variableType": "state",
      "valueType": .string(FlowEvent.typeName(report.new)), "newValue": report.new,
    ]
    properties["previousValue"] = report.previous
    properties["source"] = "user_input"
    return FlowEvent("variable_set", properties, screenName: name(report.page))
  }
}
