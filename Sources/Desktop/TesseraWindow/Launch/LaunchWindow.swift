import TesseraBridge
import TesseraCore
import TesseraGrants
import TesseraThreads
import TesseraWebContent

/// The window of one launch: the view of its content, the bridge, and what the user sees when the content is gone.
@MainActor
package final class LaunchWindow {
  package let session: LaunchSession
  package let window: ContentWindow
  package let view: ContentView
  private let bridges: Bridges
  private let start: String
  private let content: LaunchContent
  private let appearance: SystemAppearance
  private let title: String
  private let onLoadProgress: (@MainActor @Sendable (LoadProgress) -> Void)?
  private let clock: any MonotonicClock
  private lazy var watch = LoadWatch(content.source, clock: clock) { [weak self] in self?.progressed($0) }
  private var mediaQuestion: Task<Void, Never>?
  private let onWaiting: (@MainActor @Sendable (String) -> Void)?
  /// Says that the page is on its way, if it is not there soon.
  private var waiting: Task<Void, Never>?
  /// Waits until the page has drawn something, or has nothing to draw.
  private var painting: Task<Void, Never>?
  /// Why the window shows no page; becomes the outcome if the user gives up.
  private var failure: VerificationError?
  private let unattended: UnattendedKiosk?
  private lazy var recovery = unattended.map { PageRecovery($0, clock: clock) }

  package init(
    _ content: LaunchContent, _ session: LaunchSession, _ router: MessageRouter, _ configuration: LaunchConfiguration,
    clock: any MonotonicClock = ContinuousClock()
  ) throws {
    onLoadProgress = configuration.onLoadProgress
    onWaiting = configuration.onWaiting
    self.clock = clock
    self.session = session
    self.content = content
    unattended = configuration.unattended
    title = configuration.title
    start = try content.startAddress(
      session.launch.verificationRequest, referenceId: session.launch.effectiveReferenceId)
    do { try WebSandbox.require(isOwnContent: content.isBundled) } catch {
      throw VerificationError(code: "NO_SANDBOX", message: error.description, source: .host)
    }
    DesktopPortal.ask()
    let window = ContentWindow(title: configuration.title, isKiosk: configuration.isKiosk)
    self.window = window
    let ask: Permissions.Ask = { question in await question.ask(over: window) }
    let permissions = try Permissions(
      granted: configuration.grants, file: configuration.grantsFile ?? Permissions.standardFile,
      ask: configuration.isKiosk ? nil : ask)
    let rules = LaunchRules(content)
    let bridges = Bridges()
    self.bridges = bridges
    let appearance = SystemAppearance()
    self.appearance = appearance
    let navigation = WindowNavigation()
    let viewfinder = WindowViewfinder()
    viewfinder.attach(to: window)
    let router = router.serving(NavigationBridgeHandler(host: navigation))
    let channel = BridgeReceiver.channel(
      router: router, permissions: permissions, viewfinder: viewfinder, caller: { rules.caller($0.origin) },
      onOpen: { bridge in
        bridges.open(bridge)
        bridge.push(appearance.event)
        if let events = configuration.unattended?.events { bridge.push(events()) }
      })
    var behavior = ContentBehavior()
    behavior.isInspectable = configuration.isDebug
    behavior.savesFiles = !configuration.isKiosk
    // The next guest would have the zoom of this one.
    behavior.zooms = configuration.unattended == nil
    // The wallet shows by a film how to hold a document (the bridge protocol, section Launch).
    behavior.playsWithoutGesture = true
    let console = configuration.unattended.flatMap { $0.logsPage ? PageConsole.channel($0.log) : nil }
    view = ContentView(
      session: ContentSession(folder: configuration.sessionFolder), rules: rules,
      channels: [channel, console].compactMap(\.self), behavior: behavior)
    if console != nil { view.addScript(PageConsole.script) }
    if case .address = content, let request = session.launch.verificationRequest {
      let members = LaunchQuery.members(of: request, referenceId: session.launch.effectiveReferenceId)
      view.addScript(RequestInAddress.script(start, members))
    }
    navigation.view = view
    window.add(view)
  }

  /// Shows the window until the session has its outcome.
  package func run() async {
    // Nobody closes a kiosk that is to go on: its service manager ends it.
    if unattended == nil { window.onCloseRequest = { [weak self] in self?.closedByUser() } }
    view.onClose = { [weak self] in self?.closedByUser() }
    view.onFailure = { [weak self] in self?.failed($0) }
    if !window.isKiosk { view.onMediaRequest = { [weak self] in self?.ask($0) } }
    view.onTitle = { [weak self] in self?.showTitle($0) }
    view.onNavigation = { [weak self] in if case .committed(let address) = $0 { self?.arrived(address) } }
    appearance.onChange = { [bridges, appearance] in bridges.current?.push(appearance.event) }
    appearance.follow()
    bridges.onReady = { [weak self] in self?.watch.ready() }
    bridges.onVersionMismatch = { [weak self] in self?.watch.mismatched($0) }
    let first = loadFirst()
    window.present()
    window.setShown(true, view)
    _ = await session.outcome
    first?.cancel()
    mediaQuestion?.cancel()
    recovery?.cancel()
    waiting?.cancel()
    painting?.cancel()
    watch.end()
    await view.settle()
    appearance.stop()
    window.close()
    view.close()
    await bridges.current?.finished()
  }

  /// One question at a time; the others are refused.
  private func ask(_ request: MediaRequest) {
    guard mediaQuestion == nil else { return }
    mediaQuestion = Task { [window, address = view.shown] in
      await request.ask(from: address, over: window)
      mediaQuestion = nil
    }
  }

  /// Loads the page when it is known whether the portal of the desktop answers. The window is there before.
  ///
  /// - Returns: what waits for that; nil if it is known.
  private func loadFirst() -> Task<Void, Never>? {
    guard !DesktopPortal.isSettled else {
      load()
      return nil
    }
    // A portal that runs answers at once. From any other, the page comes late in any case.
    awaitPage(after: .milliseconds(500))
    return Task { [weak self] in
      await DesktopPortal.settle()
      guard !Task.isCancelled, let self else { return }
      if let sentence = DesktopPortal.sentence {
        onWaiting?(sentence)
      } else if !window.showsWaiting {
        // From here, the load has its own second. What the user sees already stays until there is a page.
        endWaiting()
      }
      load()
    }
  }

  private func load() {
    // What the present page still says must not count for the load.
    view.abandonPage()
    watch.begin()
    painting?.cancel()
    awaitPage()
    if case .bundled(let bundled) = content { view.load(bundled) } else { view.load(start) }
  }

  /// The window is not blank for longer than a second: the portal or WebKit's processes may take their time. Not by
  /// the clock of the load, which decides something.
  private func awaitPage(after delay: Duration = .seconds(1)) {
    // It waits already, for the portal.
    guard waiting == nil else { return }
    waiting = Task { [weak self] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      self?.window.setWaiting("\(self?.unattended?.notice.title ?? "One moment") …")
    }
  }

  private func endWaiting() {
    waiting?.cancel()
    waiting = nil
    painting?.cancel()
    painting = nil
    window.setWaiting(nil)
  }

  /// A document that has just arrived is blank. The sentence goes when it has drawn something.
  private func endWaitingWhenPainted() {
    guard waiting != nil else { return }
    painting?.cancel()
    painting = Task { [weak self, view] in
      await view.painted()
      guard !Task.isCancelled else { return }
      self?.endWaiting()
    }
  }

  /// A document arrived, perhaps after ten seconds. No notice covers it, whatever of it is still loaded.
  private func arrived(_ address: String) {
    // WebKit's page in place of an address that it does not load. A failure follows.
    guard address != "about:blank" else { return }
    watch.arrived()
    endWaitingWhenPainted()
    recovery?.arrived()
    failure = nil
    window.hideNotice()
    // The button of the notice had the focus. The next guest types at once.
    if recovery != nil { window.setShown(true, view) }
    showTitle(view.title)
  }

  /// Content of this program says what it shows. Another page has no words in the title, only the name of its host.
  private func showTitle(_ title: String) {
    guard failure == nil else { return }
    if case .bundled = content {
      window.title = title.isEmpty ? self.title : "\(title) – \(self.title)"
    } else {
      window.title = WebOrigin(url: view.shown).map { "\($0.host) – \(self.title)" } ?? self.title
    }
  }

  private func failed(_ failure: ContentFailure) {
    let isFirst = watch.isLoading || watch.stage == .ready
    watch.failed(failure.detail, isEndOfProcess: failure.isEndOfProcess)
    guard isFirst || self.failure == nil else { return }
    view.abandonPage()
    cover(VerificationError(code: failure.code, message: failure.message, source: .host))
  }

  /// What the user sees of a stage, apart from errors of the load, which `failed` shows.
  private func progressed(_ progress: LoadProgress) {
    onLoadProgress?(progress)
    switch progress.problem?.kind {
    // A page that is there, but does not say so, is the user's to judge. The load goes on: a late page is shown.
    case .timeout where !progress.isPageShown:
      cover(
        VerificationError(code: "LOAD_TIMEOUT", message: "The page has not arrived after 10 seconds.", source: .host))
    case .versionMismatch:
      view.abandonPage()
      // Nobody closes a kiosk with a button. Its server may have another page later.
      cover(
        VerificationError(
          code: "VERSION_MISMATCH", message: "The page speaks another version of the bridge than this program.",
          source: .host),
        canRetry: window.isKiosk || progress.problem?.detail["recoverable"] == true)
    default: break
    }
  }

  /// Covers the view. Nobody sees what a page does behind the notice, so there must be none, or the load must go on.
  private func cover(_ failure: VerificationError, canRetry: Bool = true) {
    self.failure = failure
    mediaQuestion?.cancel()
    endWaiting()
    window.title = "No page – \(title)"
    if let recovery {
      recovery.recover(
        failure, over: window, load: { [weak self] in self?.load() },
        giveUp: { [session] in Task { await session.finish(.failed(failure)) } })
      return
    }
    let button = canRetry ? "Try again" : "Close"
    window.show(ContentNotice.Text(title: "No page", message: failure.message, button: button)) { [weak self] in
      if canRetry { self?.load() } else { self?.closedByUser() }
    }
  }

  private func closedByUser() {
    end(failure.map { .failed($0) } ?? .cancelled, reason: "user_cancel")
  }

  /// Ends the launch at the wish of the program.
  package func cancel() { end(.cancelled, reason: "host_cancel") }

  /// The page learns the end by the event `lifecycle.cancel`, and has a moment to act (`run`).
  private func end(_ outcome: LaunchOutcome, reason: String) {
    bridges.current?.push(.event(domain: .lifecycle, name: "cancel", data: ["reason": .string(reason)]))
    Task { [bridge = bridges.current] in
      // A page that states its result and closes itself has a result.
      try? await withTimeLimit(.seconds(1)) { await bridge?.statementsEnded() }
      await session.finish(outcome)
    }
  }
}

extension LaunchContent {
  fileprivate var isBundled: Bool { if case .bundled = self { true } else { false } }

  fileprivate var source: LoadProblem.Source {
    switch self {
    case .bundled: .bundle
    case .address(let address, let isDebug):
      isDebug && WebOrigin(url: address)?.isLoopback == true ? .devServer : .remote
    case .wallet(let config): config.isDebug ? .devServer : .remote
    }
  }
}

extension ContentFailure {
  /// For the host, by the words of the mobile SDK.
  fileprivate var detail: JSONObject {
    switch self {
    case .loadFailed(let reason): ["phase": "load", "code": .string(code), "description": .string(reason)]
    case .serverError(let status): ["phase": "http", "statusCode": .integer(Int64(status))]
    case .processEnded(let outOfMemory): ["phase": "process", "didCrash": .bool(!outOfMemory)]
    }
  }

  fileprivate var isEndOfProcess: Bool { if case .processEnded = self { true } else { false } }
}

/// The bridge of the present document.
@MainActor
private final class Bridges {
  private(set) var current: BridgeReceiver?
  var onReady: (@MainActor () -> Void)?
  var onVersionMismatch: (@MainActor (VersionMismatch) -> Void)?

  func open(_ bridge: BridgeReceiver) {
    current = bridge
    bridge.onReady = { [weak self] in self?.onReady?() }
    bridge.onVersionMismatch = { [weak self] in self?.onVersionMismatch?($0) }
  }
}

/// `navigation.goBack`: the previous page of the view. There is no other screen, so `goTo` is not handled.
private final class WindowNavigation: NavigationHost {
  @MainActor weak var view: ContentView?

  func goBack() async -> Bool { await goBackOnMainActor() }

  func goTo(_ route: String, _ parameters: JSONObject) async -> Bool { false }

  @MainActor private func goBackOnMainActor() -> Bool { view?.goBack() ?? false }
}
