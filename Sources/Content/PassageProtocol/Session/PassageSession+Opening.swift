internal import TesseraJSON

/// The beginning (Passage.md, rule 8).
extension PassageSession {
  mutating func idle(_ input: PassageInput) {
    switch input {
    case .open(let options): open(options)
    case .host(let request): received(request)
    case .appState(let state): appState = state
    default: break
    }
  }

  private mutating func open(_ options: SessionOptions) {
    phase = .opening
    token = options.intentToken
    flags = IntentToken(token)
    requests = RequestBuilder(servers, token: token)
    let domains = CookieDomains(flags.cookieDomains)
    if flags.clearAllCookies, !domains.isEmpty { effects.append(.clearCookies(domains)) }
    effects.append(.present)
    count(.modalOpened)
    let start = StartPage.address(
      servers, token: token, agentName: config.agentName, suffix: options.sessionSuffix, at: time)
    startPage = WebAddress(start)
    effects.append(.load(PageLoad(.ui, start, ignoresCache: true)))
    self.start(.startPage, SessionTiming.startPage)
    self.start(.userAgentDelay, SessionTiming.userAgentDelay)
  }

  mutating func presentationFailed(_ reason: String) {
    report(PassageErrorData(error: reason))
    close(.error)
  }

  // MARK: - The configuration

  mutating func detectUserAgent() {
    effects.append(.detectUserAgent)
    start(.userAgentLimit, SessionTiming.userAgentLimit)
  }

  mutating func detected(userAgent: String) {
    // A late answer, or one that nobody asked for.
    guard phase == .opening, timers.contains(.userAgentLimit) else { return }
    cancel(.userAgentLimit)
    requests.userAgent = AutomationConfiguration.userAgent(userAgent)
    loadConfiguration()
  }

  mutating func loadConfiguration() {
    let request = requests.configuration()
    record(.configuration, to: servers.automation, size: 0)
    send(request, for: .configuration)
  }

  mutating func configured(_ outcome: RequestOutcome) {
    guard phase == .opening else { return }
    guard case .received(let status, let body) = outcome,
      let configuration = AutomationConfiguration(status: status, body: body)
    else {
      count(.configurationFailure)
      log("The configuration could not be read. The socket is tried all the same.")
      return run()
    }
    count(.configurationSuccess)
    self.configuration = configuration
    guard let site = configuration.integrationURL.flatMap({ WebAddress($0) }), servers.mayShow(site.origin) else {
      log("Critical: the configuration names no page of a third party that may be shown, so none is.")
      return run()
    }
    let listed = CookieDomains(configuration.cookieDomains)
    if listed.refusedCount > 0 { log("\(listed.refusedCount) cookie domains of the configuration are refused.") }
    let domains = CookieDomains.consented(site: site, configuration: listed)
    phase = .consenting
    ask(site, domains) { .start(site, $0) }
  }

  // MARK: - Consent

  private mutating func ask(_ site: WebAddress, _ domains: CookieDomains, for what: (Consent) -> Asked) {
    let request = ConsentRequest(
      site: site, name: configuration.integrationName, domains: domains, screenshot: flags.screenshot, servers: servers)
    asked = what(request.consent)
    effects.append(.askConsent(request))
  }

  /// Asks for an address that the user entered, unless its website is among the consented ones.
  mutating func loadEntered(_ address: WebAddress) {
    guard asked == nil else { return }
    guard consent?.contains(address.origin) != true else { return load(entered: address) }
    let domains = CookieDomains([address.host])
    // A single label, for example: it is shown, and nothing of it is sent.
    guard !domains.isEmpty else { return load(entered: address) }
    ask(address, domains) { .address(address, $0) }
  }

  private mutating func load(entered address: WebAddress) {
    loadAnew(address)
    show(.automation)
  }

  mutating func answered(consent isGiven: Bool) {
    guard let asked else { return }
    self.asked = nil
    switch asked {
    case .start(let site, let consent):
      guard isGiven else {
        log("The user did not agree.")
        return close(.userAction)
      }
      agree(to: consent)
      begin(site)
    case .address(let address, let consent):
      guard isGiven else { return }
      agree(to: consent)
      load(entered: address)
    }
  }

  private mutating func agree(to other: Consent) {
    var consent = consent ?? other
    consent.add(other)
    self.consent = consent
  }

  private mutating func begin(_ site: WebAddress) {
    clearConfiguredCookies()
    if !configuration.automationUserAgent.isEmpty {
      effects.append(.setUserAgent(configuration.automationUserAgent))
    }
    if !configuration.globalJavascript.isEmpty { effects.append(.setGlobalScript(configuration.globalJavascript)) }
    isBackDisabled = true
    effects.append(.load(PageLoad(.automation, site.text)))
    run()
    if flags.record { show(.automation) }
    awaitsFirstPage = flags.screenshot != nil
  }

  private mutating func run() {
    phase = .running
    if consent == nil { clearConfiguredCookies() }
    isSocketOpen = true
    effects.append(
      .connectSocket(
        SocketTarget(
          address: servers.socket.text, namespace: config.socketNamespace,
          query: ["intentToken": token, "agentName": config.agentName])))
  }

  /// The token or the configuration want it, and the token named no domains.
  private mutating func clearConfiguredCookies() {
    let named = CookieDomains(flags.cookieDomains)
    guard flags.clearAllCookies && named.isEmpty || configuration.clearAllCookies else { return }
    let domains = named.isEmpty ? CookieDomains(configuration.cookieDomains) : named
    effects.append(.clearCookies(domains.isEmpty ? nil : domains))
  }

  // MARK: - The start page

  mutating func navigatedUI(_ event: NavigationInput) {
    switch event {
    case .committed(let text), .finished(let text), .addressChanged(let text): arrivedInUI(at: WebAddress(text))
    case .started, .redirected, .failed: break
    }
    guard !isStartPageShown else { return }
    switch event {
    case .finished:
      isStartPageShown = true
      cancel(.startPage)
    case .failed(_, let reason, let isReplaced): if !isReplaced { startPageFailed(reason) }
    case .started, .redirected, .committed, .addressChanged: break
    }
  }

  private mutating func arrivedInUI(at address: WebAddress?) {
    isUIElsewhere = address?.origin != servers.ui.origin
    if isUIElsewhere { lastStrayWindow = number() }
  }

  mutating func startPageFailed(_ reason: String) {
    cancel(.startPage)
    report(PassageErrorData(error: "The start page could not be loaded. \(reason)"))
    close(.error)
  }

  // MARK: - Processes

  /// The process of a view's pages ended. A view is made anew; the UI view loads its page again, once.
  mutating func processEnded(_ view: PassageView) {
    log("The process of the \(view.rawValue) view ended.")
    switch view {
    case .automation:
      address = nil
      isLoading = false
      isGoingBack = false
      isBackDisabled = false
      canGoBack = false
      awaitedScreenshot = nil
      cancel(.repeatScript)
      effects.append(.recreate(.automation))
      for command in open { fail(command.number, "The process of the page ended.") }
      updateBackButton()
    case .ui:
      guard recreated.insert(.ui).inserted else {
        report(PassageErrorData(error: "The process of the page ended twice."))
        return close(.error)
      }
      effects.append(.recreate(.ui))
      if let startPage { effects.append(.load(PageLoad(.ui, redirectAddress ?? startPage.text, ignoresCache: true))) }
    }
  }
}

/// Permits two addresses at once and then one in each second, so that a page cannot flood the desktop.
struct AddressLimit: Sendable {
  private static let burst: Int64 = 2
  private static let pause: Int64 = 1_000

  /// When all permits are there again.
  private var full = UnixTime(milliseconds: 0)

  mutating func permits(at time: UnixTime) -> Bool {
    let now = min(max(time.milliseconds, 0), 1 << 52)
    // A clock that was set back must not close the way for long.
    full.milliseconds = min(max(full.milliseconds, now), now + Self.burst * Self.pause)
    let next = full.milliseconds + Self.pause
    guard next - now <= Self.burst * Self.pause else { return false }
    full = UnixTime(milliseconds: next)
    return true
  }
}
