package import TesseraCore
internal import TesseraJSON

/// One showing of Passage: what a server may ask of the two views, and what it is answered.
///
/// It has no clock, no window and no connection: its owner passes what happens and when, and does what the returned
/// effects say, in their order. A session is opened once; the next showing has a new one. Its rules
/// are those of Passage.md.
package struct PassageSession: Sendable {
  enum Phase: Equatable {
    case idle
    /// The window is shown; the server's configuration is not known yet.
    case opening
    /// The user is asked.
    case consenting
    case running
    /// The window is gone, and the server is told.
    case closing(PassageExitReason)
    case ended
  }

  let config: PassageConfig
  let servers: PassageServers
  let signInPages: SignInPages
  let externalAddresses: ExternalAddresses

  var phase = Phase.idle
  var effects: [PassageEffect] = []
  /// When the present input happened.
  var time = UnixTime(milliseconds: 0)
  /// Those that run, in the order of their start.
  var timers: [PassageTimer] = []
  /// The last number of a command, script run, page check, collection or request.
  var lastNumber = 0

  // The session
  var token = ""
  var flags = IntentToken("")
  var requests: RequestBuilder
  var configuration = AutomationConfiguration(.null)
  /// What the user agreed to; nil before that: nothing of a third party's page leaves the machine.
  var consent: Consent?
  /// What is done when the user agrees to what the window asks.
  var asked: Asked?

  // The socket
  /// In bytes: how long a message for the server may be.
  var longestEmission = SocketEmission.longestUnlessNamed
  var isSocketOpen = false
  var isConnected = false
  var appState = AppState.active

  // The views
  package internal(set) var visible = PassageView.ui
  /// The address of the automation view's document; nil for none.
  var address: WebAddress?
  var isLoading = false
  /// Whether the back button caused the present load.
  var isGoingBack = false
  var canGoBack = false
  /// While a load of the program goes on.
  var isBackDisabled = false
  var isBackShown = false
  var successURLs: [SuccessURL] = []
  /// When a page without consent came into the automation view the last time: what began before and ends after that is
  /// not sent. A number like those of the commands.
  var lastStrayPage = 0
  /// The same for the whole window.
  var lastStrayWindow = 0
  /// Whether the UI view shows a page of another site.
  var isUIElsewhere = false
  /// Whether a sheet shows a website.
  var hasWebsite = false
  var startPage: WebAddress?
  var isStartPageShown = false
  var recreated: Set<PassageView> = []
  var popups = 0
  var hasBottomSheet = false
  var externalLimit = AddressLimit()

  // Commands
  var open: [OpenCommand] = []
  var known = BoundedSet(limit: 4_096)
  /// The results that a server could not take. They are sent when the socket is connected again, or when the server
  /// repeats the command.
  var undelivered: [PendingRequest] = []
  var pending: [Int: PendingRequest] = [:]
  /// nil if the program wants no statistics of use.
  var analytics: AnalyticsQueue?
  /// The last command of the type `injectScript`, for record mode.
  var recorder: AutomationCommand?
  var redirectsOnDone = true
  var redirectAddress: String?

  // Recording
  var isLockedToUI = false
  var recordingData: JSONValue?
  /// The number of the picture that is being taken.
  var awaitedScreenshot: Int?
  /// Whether pictures are taken from the first page on.
  var awaitsFirstPage = false
  /// The last two pictures, as data URIs.
  package internal(set) var screenshot: String?
  package internal(set) var previousScreenshot: String?

  // Results for the program
  var connectionId: String?
  var connectionData: [JSONObject]?
  var reportedConnections: Set<String> = []
  var hasReportedFailure = false

  // Closing
  /// The view that was visible when the user pressed close; nil if nothing was asked.
  var viewBeforeClosing: PassageView?

  /// What the user is asked.
  enum Asked: Equatable {
    /// The page of the configuration.
    case start(WebAddress, Consent)
    /// An address that the user entered.
    case address(WebAddress, Consent)
  }

  /// - Throws: `Failure` of the kind `usage` that names the member of the configuration with an unusable address.
  package init(
    _ config: PassageConfig, signInPages: SignInPages = .standard, externalAddresses: ExternalAddresses = .standard
  ) throws(Failure) {
    self.config = config
    self.signInPages = signInPages
    self.externalAddresses = externalAddresses
    servers = try PassageServers(config)
    requests = RequestBuilder(servers, token: "")
    analytics = servers.analytics.map { _ in AnalyticsQueue() }
  }

  package var isEnded: Bool { phase == .ended }

  /// Takes what happened.
  ///
  /// - Parameter time: when it happened.
  /// - Returns: what has to be done, in this order.
  package mutating func handle(_ input: PassageInput, at time: UnixTime) -> [PassageEffect] {
    self.time = time
    switch phase {
    case .ended: return []
    case .closing(let reason): closing(input, reason)
    case .idle: idle(input)
    case .opening, .consenting, .running: opened(input)
    }
    defer { effects = [] }
    return effects
  }

  private mutating func opened(_ input: PassageInput) {
    switch input {
    case .open: log("Passage is shown already; opening it again is ignored.")
    case .presentationFailed(let reason): presentationFailed(reason)
    case .userAgent(let text): detected(userAgent: text)
    case .consent(let isGiven): answered(consent: isGiven)
    case .response(let number, let outcome): received(outcome, request: number)
    case .socket(let event): received(event)
    case .navigation(.ui, let event): navigatedUI(event)
    case .navigation(.automation, let event): navigated(event)
    case .history(let canGoBack):
      self.canGoBack = canGoBack
      updateBackButton()
    case .shown(let view): if view == visible { effects.append(.callback(.webviewChange(view))) }
    case .message(let view, let origin, let isFromTopFrame, let text):
      received(text, from: view, origin: origin, isFromTopFrame: isFromTopFrame)
    case .pageChecked(let check, let isReady): checkedPage(check, isReady: isReady)
    case .scriptFinished(let run, let outcome): finished(run, outcome)
    case .pageData(let collection, let data): collected(data, collection: collection)
    case .screenshot(let picture): took(picture)
    case .processEnded(let view): processEnded(view)
    case .popup(let view, let address): popup(address, from: view)
    case .popupClosed: popups = max(0, popups - 1)
    case .websiteClosed: hasWebsite = false
    case .backPressed: pressedBack()
    case .closePressed: pressedClose()
    case .closeConfirmationFailed: if viewBeforeClosing != nil { close(.userAction) }
    case .windowClosed: close(.userAction)
    case .bottomSheetSubmitted(let text): submittedBottomSheet(text)
    case .bottomSheetClosed: hasBottomSheet = false
    case .host(let request): received(request)
    case .appState(let state): changed(state)
    case .timer(let timer): if remove(timer) { fired(timer) }
    }
  }

  private mutating func fired(_ timer: PassageTimer) {
    switch timer {
    case .userAgentDelay: detectUserAgent()
    case .userAgentLimit: loadConfiguration()
    case .startPage: startPageFailed("It did not answer in time.")
    case .readyCheck(let number): checkReady(number)
    case .commandLimit(let number): exceededLimit(number)
    case .pageData(let collection): collected(.empty, collection: collection)
    case .repeatScript: repeatScript()
    case .recording: completeRecording()
    case .redirect: redirect()
    case .backRecheck: recheckBack()
    case .screenshot: takeScreenshots()
    case .retry(let number): sendAgain(number)
    case .analytics: analyticsTimerFired()
    case .analyticsRetry: analyticsRetryFired()
    case .modalExit: break
    }
  }

  // MARK: - Tools of all parts

  mutating func number() -> Int {
    lastNumber &+= 1
    return lastNumber
  }

  mutating func start(_ timer: PassageTimer, _ duration: Duration) {
    if !timers.contains(timer) { timers.append(timer) }
    effects.append(.startTimer(timer, duration))
  }

  mutating func cancel(_ timer: PassageTimer) {
    if remove(timer) { effects.append(.cancelTimer(timer)) }
  }

  private mutating func remove(_ timer: PassageTimer) -> Bool {
    guard let index = timers.firstIndex(of: timer) else { return false }
    timers.remove(at: index)
    return true
  }

  mutating func log(_ text: String) { effects.append(.log(text)) }

  mutating func report(_ error: PassageErrorData) {
    count(.failure)
    effects.append(.callback(.connectionError(error)))
  }

  mutating func record(_ kind: SentEntry.Kind, to server: WebAddress, size: Int, _ page: PageData? = nil) {
    var entry = SentEntry(kind, to: server.host, at: time)
    entry.size = size
    if let page { entry.add(page) }
    effects.append(.record(entry))
  }

  /// Whether something of the automation view's page may leave the machine.
  var isPageConsented: Bool {
    guard let consent, let address else { return false }
    return consent.contains(address.origin)
  }

  /// Whether what began with this number belongs to pages that the user agreed to, from its beginning until now.
  func isConsented(since number: Int) -> Bool { isPageConsented && number > lastStrayPage }
}
