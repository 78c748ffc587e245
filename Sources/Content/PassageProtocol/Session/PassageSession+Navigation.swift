internal import TesseraJSON

/// The automation view's pages (Passage.md, rules 10, 11 and 14).
extension PassageSession {
  // MARK: - The command

  mutating func navigate(_ command: AutomationCommand, to text: String?, _ successURLs: [SuccessURL]) {
    self.successURLs = successURLs
    guard let text, !text.isEmpty else { return deliver(.error(command.id, "No URL provided")) }
    let data: JSONObject = ["url": .string(text.shortened(to: WebAddress.longest))]
    guard let target = WebAddress(text) else {
      return deliver(
        .error(command.id, "The URL is not an address of http or https without a user's name.", data: .object(data)))
    }
    guard let consent, consent.contains(target.origin) else {
      var data = data
      data["errorType"] = Self.notConsented["errorType"]
      return deliver(
        .error(command.id, "The user did not agree to the domain of this URL.", data: .object(data)))
    }
    for other in open {
      guard case .loading(let address, _) = other.stage else { continue }
      fail(other.number, "Another navigation took the place of this one.", data: ["url": .string(address)])
    }
    let isThere = address.map { $0.text.hasBytes(of: target.text) } ?? false
    let number = add(command, .loading(target.text, hasStarted: isThere && isLoading))
    if isThere, !isLoading { return succeed(number, ["url": .string(target.text)]) }
    start(.commandLimit(command: number), SessionTiming.navigation)
    // A page that is being loaded already is not loaded a second time.
    if !isThere { loadAnew(target) }
  }

  /// Loads a page without a way back: an empty document clears the history.
  mutating func loadAnew(_ target: WebAddress) {
    isBackDisabled = true
    isGoingBack = false
    address = nil
    effects.append(.load(PageLoad(.automation, target.text, clearsHistory: true)))
    updateBackButton()
  }

  /// The automation view has no page, and loads none. (Whether the UI view shows another site is known with its next
  /// page: until the empty document is there, a script would still find the page before.)
  mutating func forgetPage() {
    address = nil
    isLoading = false
    isGoingBack = false
    canGoBack = false
    cancel(.repeatScript)
    endLoad()
    if let command = loading, case .loading(let address, _) = command.stage {
      fail(command.number, "The program emptied the view.", data: ["url": .string(address)])
    }
  }

  /// The open command that loads a page.
  private var loading: OpenCommand? {
    open.first { if case .loading = $0.stage { true } else { false } }
  }

  // MARK: - Events of the view

  mutating func navigated(_ event: NavigationInput) {
    switch event {
    case .started(let text), .redirected(let text): loads(WebAddress(text))
    case .committed(let text):
      arrived(at: WebAddress(text))
      loads(address)
    case .finished(let text):
      let command = loading
      // The page that was there before.
      if case .loading(_, hasStarted: false)? = command?.stage { return }
      isLoading = false
      isGoingBack = false
      endLoad()
      arrived(at: WebAddress(text))
      if let address { check(address, .navigationEnd) }
      if let command {
        // A redirect can lead to a page that the user did not agree to. Its address stays here.
        let found = isPageConsented ? address.map { JSONValue.string($0.text) } : nil
        succeed(command.number, .object(found.map { ["url": $0] } ?? [:]))
      }
      if repeatsScript { start(.repeatScript, SessionTiming.repeatScript) }
      if awaitsFirstPage {
        awaitsFirstPage = false
        takeScreenshots()
      }
    case .failed(let text, let reason, let isReplaced):
      guard !isReplaced else { return }
      isLoading = false
      isGoingBack = false
      endLoad()
      if let command = loading, case .loading(let address, _) = command.stage {
        // The reason can name the host of a redirect.
        let isKnown = WebAddress(text).map { consent?.contains($0.origin) == true } ?? false
        fail(
          command.number,
          isKnown && !reason.isEmpty ? reason.shortened(to: 500) : "The page could not be loaded.",
          data: ["url": .string(address)])
      }
    case .addressChanged(let text): changed(to: WebAddress(text))
    }
  }

  /// The automation view has this document now.
  private mutating func arrived(at target: WebAddress?) {
    address = target
    if !isPageConsented { lastStrayPage = number() }
  }

  private mutating func loads(_ target: WebAddress?) {
    isLoading = true
    cancel(.repeatScript)
    for index in open.indices {
      guard case .loading(let address, _) = open[index].stage else { continue }
      open[index].stage = .loading(address, hasStarted: true)
    }
    guard let target else { return }
    check(target, .navigationStart)
    if !isGoingBack { sendBrowserState(target) }
  }

  /// A load of the program ended: the user may go back again.
  mutating func endLoad() {
    isBackDisabled = false
    updateBackButton()
  }

  private mutating func check(_ address: WebAddress, _ moment: SuccessURL.Moment) {
    if successURLs.contains(where: { $0.moment == moment && $0.glob.matches(address) }) { show(.ui) }
  }

  mutating func navigated(_ change: ClientNavigation) { changed(to: WebAddress(change.address)) }

  /// The address changed without a load. A page says what it likes, but its origin cannot change so.
  private mutating func changed(to target: WebAddress?) {
    guard let target, let address, address.origin == target.origin else { return }
    self.address = target
    check(target, .navigationEnd)
  }

  // MARK: - Which view is visible

  /// Shows a view, unless record mode keeps the automation view, or its end keeps the UI view.
  mutating func show(_ view: PassageView) {
    let view = flags.record ? (isLockedToUI ? .ui : .automation) : view
    // Before the user agreed, the automation view has no page.
    if view == .ui || consent != nil { uncover(view) }
  }

  /// Shows a view in any case.
  mutating func uncover(_ view: PassageView) {
    guard view != visible else { return }
    visible = view
    effects.append(.show(view))
    updateBackButton()
  }

  // MARK: - Back

  mutating func updateBackButton() {
    let isShown = visible == .automation && canGoBack && !isBackDisabled
    guard isShown != isBackShown else { return }
    isBackShown = isShown
    effects.append(.setBackButton(isVisible: isShown))
  }

  mutating func pressedBack() {
    guard visible == .automation, canGoBack, !isBackDisabled else { return }
    goBack()
  }

  mutating func goBack() {
    isGoingBack = true
    effects.append(.goBack(.automation))
    start(.backRecheck, SessionTiming.backRecheck)
  }

  mutating func recheckBack() {
    // Going back within a document loads nothing.
    if !isLoading { isGoingBack = false }
    effects.append(.askHistory)
  }
}
