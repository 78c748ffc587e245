internal import PassageProtocol
internal import TesseraCore
internal import TesseraJSON
internal import TesseraWebContent

/// One of the two views with its channel and scripts. After the end of its process it is made anew.
@MainActor
final class PassagePage {
  /// What happens in the view.
  struct Hooks {
    var navigated: @MainActor (NavigationInput) -> Void = { _ in }
    var history: @MainActor (_ canGoBack: Bool) -> Void = { _ in }
    var message: @MainActor (ContentMessage) -> Void = { _ in }
    var processEnded: @MainActor () -> Void = {}
    /// The address is empty for a view that the page fills itself.
    var popup: @MainActor (_ address: String, _ opener: ContentView) -> ContentPopup.Decision = { _, _ in .refuse }
    /// The user followed a link to something that the views do not show.
    var refusedLink: @MainActor (String) -> Void = { _ in }
  }

  /// What the automation view has beside its page.
  struct Options {
    /// Empty for that of the engine.
    var userAgent = ""
    /// Empty for none.
    var globalScript = ""
  }

  private enum Emptying {
    case none
    case loading
    /// It is there, or never comes. The signals of WebKit for it are not over yet.
    case ending
  }

  let kind: PassageView
  let view: ContentView
  let options: Options
  /// Makes the page object of the automation page.
  let siteScript: String
  private let historyEvent = SecretName.next()
  private let hooks: Hooks
  /// The number of pages in the history before the oldest one to which the user may go back.
  private var historyStart = 0
  /// Whether the history starts anew with the next document.
  private var clearsHistory = false
  /// The address of the document, which it may change itself.
  private var documentAddress = ""
  private var isStarting = false
  /// The way to the empty document, and what is loaded after it: WebKit would name the next address for what happens
  /// to the empty document.
  private var emptying = Emptying.none
  private var next: PageLoad?
  private var isClosed = false

  init(
    _ kind: PassageView, session: ContentSession, servers: PassageServers, options: Options = Options(), hooks: Hooks
  ) {
    self.kind = kind
    self.options = options
    self.hooks = hooks
    siteScript = kind == .automation ? PageScripts.site(historyEvent: historyEvent) : PageScripts.service
    let rights: PageRules.Rights =
      switch kind {
      case .ui: .origin(servers.ui.origin)
      case .automation: .allInOwnWorld
      }
    var behavior = ContentBehavior()
    behavior.showsErrorPages = true
    var channel = ContentChannel(
      [PageScripts.handler], world: kind == .ui ? .page : .named(PageScripts.world), body: .textOrObject,
      // Results of scripts can be long; a page that floods the channel is cut off.
      maximumLength: 8 << 20, rate: ContentChannel.Rate(burst: 500, perSecond: 100)
    ) { _ in Receiver(hooks.message) }
    if kind == .ui { channel.origin = servers.ui.origin.canonical }
    view = ContentView(
      session: session, rules: PageRules(rights: rights, servers: servers), channels: [channel], behavior: behavior)
    view.refuseMenusWhileInsensitive()
    addScripts()
    if !options.userAgent.isEmpty { view.userAgent = options.userAgent }
    view.onNavigation = { [weak self] in self?.navigated($0) }
    view.onPopup = { [weak self] popup in
      guard let self else { return .refuse }
      return self.hooks.popup(popup.address, self.view)
    }
    view.onRefusedLink = { [weak self] in self?.hooks.refusedLink($0) }
    // A page that hangs does not hold up the session: its process ends, and the view is made anew.
    view.onResponsive = { [weak view] in if !$0 { view?.endProcess() } }
  }

  private func addScripts() {
    guard kind == .automation else { return view.addScript(siteScript) }
    view.addScript(PageScripts.history(historyEvent: historyEvent))
    let world = ContentChannel.World.named(PageScripts.world)
    view.addScript(siteScript, in: world)
    guard !options.globalScript.isEmpty else { return }
    view.addScript(PageScripts.tolerance, in: world)
    view.addScript(options.globalScript, in: world)
  }

  // MARK: - The way

  func load(_ load: PageLoad) {
    if load.clearsHistory { clearsHistory = true }
    guard emptying == .none else {
      next = load
      return
    }
    if load.address == PageRules.empty { emptying = .loading }
    view.load(load.address, ignoringCache: load.ignoresCache)
  }

  /// The empty document goes on: nothing but it may be shown.
  func stopLoading() {
    next = nil
    if emptying == .none { view.stopLoading() }
  }

  private func loadNext(after step: ContentNavigation) {
    switch step {
    case .finished(PageRules.empty), .failed(PageRules.empty, _), .cancelled(PageRules.empty),
      .failed(_, .processEnded):
      break
    // Another document took its place.
    case .committed(let address) where address != PageRules.empty: break
    default: return
    }
    guard emptying == .loading else { return }
    emptying = .ending
    Task { [weak self] in
      guard let self, !isClosed else { return }
      emptying = .none
      guard let load = next else { return }
      next = nil
      self.load(load)
    }
  }

  var canGoBack: Bool { view.backCount > historyStart }

  func goBack() {
    guard canGoBack else { return }
    _ = view.goBack()
  }

  func close() {
    isClosed = true
    view.onNavigation = nil
    view.close()
  }

  private func navigated(_ step: ContentNavigation) {
    defer { loadNext(after: step) }
    switch step {
    // The empty document is not reported.
    case .started(PageRules.empty), .redirected(PageRules.empty), .finished(PageRules.empty),
      .cancelled(PageRules.empty), .addressChanged(PageRules.empty):
      break
    case .committed(PageRules.empty):
      documentAddress = PageRules.empty
      if clearsHistory { historyStart = view.backCount }
      hooks.history(canGoBack)
    case .started(let address):
      isStarting = true
      hooks.navigated(.started(address))
    case .redirected(let address): hooks.navigated(.redirected(address))
    case .committed(let address):
      isStarting = false
      documentAddress = address
      // WebKit cannot forget its history, so the view forgets how much of it there is.
      if clearsHistory { historyStart = view.backCount }
      clearsHistory = false
      hooks.navigated(.committed(address))
      hooks.history(canGoBack)
    case .finished(let address):
      isStarting = false
      hooks.navigated(.finished(address))
      hooks.history(canGoBack)
    case .failed(_, .processEnded): hooks.processEnded()
    // Another load took its place.
    case .failed(PageRules.empty, _): break
    case .failed(let address, let failure):
      isStarting = false
      // The page before it is part of the history that was to be cleared.
      if clearsHistory, emptying == .none { load(PageLoad(kind, PageRules.empty, clearsHistory: true)) }
      hooks.navigated(.failed(address, reason: failure.message))
    case .cancelled(let address):
      hooks.navigated(.failed(address, reason: "Another page was loaded.", isReplaced: true))
    case .addressChanged: checkAddress()
    }
  }

  /// WebKit's address changes before a load begins and after one failed, too. What is of no load is known when the
  /// other signals of the same moment have come.
  private func checkAddress() {
    Task { [weak self] in
      guard let self, !isClosed, !isStarting, !view.isLoading else { return }
      let address = view.address
      guard address != documentAddress, !["", PageRules.empty].contains(address) else { return }
      documentAddress = address
      hooks.navigated(.addressChanged(address))
      hooks.history(canGoBack)
    }
  }

  /// Passes the messages of one document on.
  private final class Receiver: ContentReceiver {
    private let pass: @MainActor (ContentMessage) -> Void
    init(_ pass: @escaping @MainActor (ContentMessage) -> Void) { self.pass = pass }
    func receive(_ message: ContentMessage) { pass(message) }
    func documentEnded() {}
  }
}

/// Names that no page can guess.
private enum SecretName {
  static func next() -> String {
    var generator = SystemRandomNumberGenerator()
    return "passage-\(String(generator.next(), radix: 36))\(String(generator.next(), radix: 36))"
  }
}
