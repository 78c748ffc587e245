#if canImport(CTesseraWebKitGTK)
  import TesseraBridge
  import TesseraCore
  import TesseraGrants
  import TesseraThreads
  import TesseraWebContent

  /// The window of one launch: the view of its content, the bridge, and what the person sees when the content is gone.
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
    private var mediaQuestion: Task<Void, Never>?
    /// Why the window shows no page; becomes the outcome if the person gives up.
    private var failure: ContentFailure?

    package init(
      _ content: LaunchContent, _ session: LaunchSession, _ router: MessageRouter, _ configuration: LaunchConfiguration
    ) throws {
      self.session = session
      self.content = content
      title = configuration.title
      start = try content.startAddress(session.launch.verificationRequest)
      do { try WebSandbox.require(isOwnContent: content.isBundled) } catch {
        throw VerificationError(code: "NO_SANDBOX", message: error.description, source: .host)
      }
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
          bridges.current = bridge
          bridge.push(appearance.event)
        })
      var behavior = ContentBehavior()
      behavior.isInspectable = configuration.isDebug
      behavior.savesFiles = !configuration.isKiosk
      // The wallet shows by a film how to hold a document (the bridge protocol, section Launch).
      behavior.playsWithoutGesture = true
      view = ContentView(
        session: ContentSession(folder: configuration.sessionFolder), rules: rules, channels: [channel],
        behavior: behavior)
      navigation.view = view
      window.add(view)
    }

    /// Shows the window until the session has its outcome.
    package func run() async {
      window.onCloseRequest = { [weak self] in self?.closedByPerson() }
      view.onClose = { [weak self] in self?.closedByPerson() }
      view.onFailure = { [weak self] in self?.failed($0) }
      if !window.isKiosk { view.onMediaRequest = { [weak self] in self?.ask($0) } }
      view.onTitle = { [weak self] in self?.showTitle($0) }
      view.onLoaded = { [weak self] in self?.loaded() }
      appearance.onChange = { [bridges, appearance] in bridges.current?.push(appearance.event) }
      appearance.follow()
      load()
      window.present()
      window.setShown(true, view)
      _ = await session.outcome
      mediaQuestion?.cancel()
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

    private func load() {
      if case .bundled(let bundled) = content { view.load(bundled) } else { view.load(start) }
    }

    private func loaded() {
      failure = nil
      window.hideNotice()
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
      self.failure = failure
      window.title = "No page – \(title)"
      window.show(ContentNotice.Text(title: "No page", message: failure.message, button: "Try again")) { [weak self] in
        self?.load()
      }
    }

    private func closedByPerson() {
      let outcome: LaunchOutcome =
        failure.map { .failed(VerificationError(code: $0.code, message: $0.message, source: .host)) } ?? .cancelled
      end(outcome, reason: "user_cancel")
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
  }

  /// The bridge of the present document.
  @MainActor
  private final class Bridges {
    var current: BridgeReceiver?
  }

  /// `navigation.goBack`: the previous page of the view. There is no other screen, so `goTo` is not handled.
  private final class WindowNavigation: NavigationHost {
    @MainActor weak var view: ContentView?

    func goBack() async -> Bool { await goBackOnMainActor() }

    func goTo(_ route: String, _ parameters: JSONObject) async -> Bool { false }

    @MainActor private func goBackOnMainActor() -> Bool { view?.goBack() ?? false }
  }
#endif
