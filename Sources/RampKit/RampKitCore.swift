#if canImport(CTesseraWebKitGTK)
  internal import FoundationEssentials
  import Logging
  import RampKitFlow
  import ReRune
  import TesseraBridge
  import TesseraCore
  import TesseraGrants
  import TesseraWebContent
  import TesseraWindow

  /// The onboarding flows of a program.
  ///
  /// The functions do not throw: what does not work is logged, and the program goes on without a flow, as if there were
  /// none.
  @MainActor
  public final class RampKitCore {
    public static let shared = RampKitCore(services: .system())

    private let services: RampKitServices
    private let logger = Logger(label: "RampKit")
    private var config: RampKitConfig?
    private var userId: String?
    private var device = DeviceInfo()
    private var record: LaunchRecord?
    private var flow: OnboardingData?
    /// Whether the flow is part of the program.
    private var isOwnFlow = false
    private var targeting: Targeting.Result?
    private var overlay: RampKitOverlayController?
    private var sender: EventSender?
    /// New with each start of the program.
    private let sessionId = UUID().uuidString.lowercased()
    /// Writes of the answers, one after another.
    private var writing: Task<Void, Never>?
    /// The answers that are not written yet.
    private var unwritten: JSONObject?

    package init(services: RampKitServices) { self.services = services }

    // MARK: - Loading

    /// Loads the flow for this person, and shows it if the configuration wants that.
    public func configure(config: RampKitConfig) async {
      self.config = config
      let identity = await UserIdentity(storage: services.storage).identifier()
      if !identity.isStored {
        log("Init", "The user id cannot be stored, so it changes with the next start.", .warning)
      }
      userId = identity.value
      beginLaunch(config)
      sender = EventSender(transport: services.transport, base: config.functionsBase, apiKey: config.apiKey)
      report(
        FlowEvent(
          "app_session_started",
          ["isFirstLaunch": .bool(device.isFirstLaunch), "launchCount": .integer(Int64(device.launchCount))]))
      sendDevice()
      do {
        try await load(config)
      } catch {
        flow = nil
        targeting = nil
        log("Load", Failure(error).description, .error)
      }
      if let flow { logger.info("Init: a flow with \(flow.screens.count) screens is ready.") }
      if config.autoShowOnboarding, flow != nil { showOnboarding() }
    }

    private func load(_ config: RampKitConfig) async throws {
      flow = nil
      targeting = nil
      let loader = FlowLoader(transport: services.transport)
      let address: String
      if let custom = config.customOnboardingURL {
        address = custom
      } else if let base = config.manifestBase, let appId = config.appId {
        let manifest = try await loader.manifest(of: appId, below: base)
        guard let result = Targeting.choose(from: manifest, for: targetingContext(), userId: userId ?? "anonymous")
        else {
          throw FlowError.noFlow("The chosen target of the manifest has no flow.")
        }
        targeting = result
        var properties: JSONObject = [
          "targetId": .string(result.target.id), "targetName": .string(result.target.name),
          "onboardingId": .string(result.choice.id), "bucket": .integer(Int64(result.bucket)),
        ]
        properties["versionId"] = result.choice.versionId.map { .string($0) }
        report(FlowEvent("target_matched", properties))
        sendDevice()
        address = result.choice.url
      } else {
        return log("Load", "Neither customOnboardingURL nor manifestBase and appId are set.", .info)
      }
      var problems: [FlowProblem] = []
      let flow = try await loader.flow(at: address, problems: &problems)
      note(problems)
      self.flow = flow
      isOwnFlow = false
    }

    /// Uses a flow that the program has, instead of one from an address.
    ///
    /// - Parameter isPartOfProgram: whether the flow came with the program. Such a flow is also shown where the system
    ///   cannot make a sandbox for its pages.
    public func setOnboarding(_ flow: OnboardingData, isPartOfProgram: Bool = false) {
      self.flow = flow
      isOwnFlow = isPartOfProgram
      targeting = nil
    }

    private func note(_ problems: [FlowProblem]) {
      for problem in problems.prefix(20) where problem.severity == .error {
        log("Flow", "\(problem.place): \(problem.message)", .warning)
      }
    }

    // MARK: - Showing

    /// Shows the loaded flow. Nothing happens if there is none, if it has no screen, or if one is shown.
    public func showOnboarding(options: ShowOnboardingOptions = ShowOnboardingOptions()) {
      do { try show(options) } catch { log("Show", error.description, .error) }
    }

    /// Shows the loaded flow.
    ///
    /// - Throws: `Failure` if there is none, if it has no screen, if one is shown, or if there is no display.
    public func show(_ options: ShowOnboardingOptions = ShowOnboardingOptions()) throws(Failure) {
      guard overlay == nil else { throw Failure(.usage, "A flow is shown already.") }
      guard let flow, !flow.screens.isEmpty else {
        throw Failure(.usage, "There is no flow to show.", remedy: "Configure RampKit with the address of one.")
      }
      try MainLoop.openDisplay()
      try WebSandbox.require(isOwnContent: isOwnFlow)
      let overlay: RampKitOverlayController
      do {
        overlay = try RampKitOverlayController(
          flow, context: context, locale: device.deviceLocale, options: options, hooks: hooks(flow),
          hardware: hardware(of: flow))
      } catch { throw Failure(error) }
      self.overlay = overlay
      overlay.showOverlay()
      Task { [weak self] in
        _ = await overlay.waitUntilClosed()
        if self?.overlay === overlay { self?.overlay = nil }
      }
    }

    /// Sets a variable of the flow that is loaded or shown. Pages can only read one whose name starts with `onboarding.`.
    public func setVariable(_ name: String, _ value: JSONValue) {
      if let overlay { return overlay.set(name, value) }
      flow?.variables.removeAll { $0.name == name }
      flow?.variables.append(OnboardingVariable(name: name, initialValue: value))
    }

    /// Closes the flow as if the person had closed it.
    public func closeOnboarding() { overlay?.closeOverlay() }

    /// Waits until no flow is shown, and its answers are stored.
    ///
    /// - Returns: how the flow ended; nil if none was shown.
    @discardableResult
    public func waitUntilClosed() async -> FlowOutcome? {
      let outcome = await overlay?.waitUntilClosed()
      overlay = nil
      await writing?.value
      return outcome
    }

    private func hooks(_ flow: OnboardingData) -> RampKitOverlayController.Hooks {
      var hooks = RampKitOverlayController.Hooks()
      hooks.play = { [haptics = services.haptics] event in
        Task {
          switch event {
          case .impact(let style): await haptics.impact(style)
          case .notification(let type): await haptics.notification(type)
          case .selection: await haptics.selection()
          }
        }
      }
      hooks.open = { [links = services.links, weak self] address in
        Task {
          if await !links.open(address) { self?.log("Link", "Nothing opens addresses here.", .warning) }
        }
      }
      hooks.requestReview = { [weak self] in self?.requestReview() }
      hooks.requestNotifications = { [weak self] window in await self?.askForNotifications(over: window) }
      hooks.finished = { [weak self] in self?.config?.onOnboardingFinished?($0) }
      hooks.showPaywall = { [weak self] in self?.config?.onShowPaywall?($0) }
      hooks.keepAnswers = { [weak self] in self?.keep($0) }
      hooks.report = { [weak self] in self?.report($0) }
      hooks.log = { [weak self] in self?.log("Flow", $0, .warning) }
      return hooks
    }

    /// The bridge to the hardware, if the configuration names this flow, and to the texts of ReRune.
    private func hardware(
      of flow: OnboardingData
    ) -> ((_ origin: String, _ window: ContentWindow) throws -> ContentChannel)? {
      guard let config else { return nil }
      var permissions = flow.onboardingId.flatMap { config.hardware[$0] } ?? []
      guard !permissions.isEmpty || config.sharesTexts else { return nil }
      // A flow without hardware has a router without it.
      var router = permissions.isEmpty ? MessageRouter(handlers: []) : config.router ?? .withSystemProviders()
      let texts = config.sharesTexts ? ReRuneBridgeHandler() : nil
      if let texts {
        router = router.serving(texts)
        permissions.insert(Grant.Permission(.i18n))
      }
      return { [router, permissions] origin, _ in
        let caller = Caller.web(origin: origin)
        // What is not granted is refused: nobody is asked in the name of a flow.
        return BridgeReceiver.channel(
          router: router, permissions: Permissions(granted: [Grant(caller, permissions)]), caller: { _ in caller }
        ) { bridge in
          guard let texts else { return }
          Task { [weak bridge] in
            for await revision in texts.events { bridge?.push(revision) }
          }
        }
      }
    }

    private func requestReview() {
      guard let id = config?.bundleId else { return log("Review", "bundleId is not set.", .warning) }
      Task { [links = services.links] in
        if await !links.open("appstream://\(PercentEncoding.component(id))") {
          log("Review", "Nothing opens the page of this program here.", .warning)
        }
      }
    }

    private func askForNotifications(over window: ContentWindow) async -> JSONValue {
      guard await services.notifications.isPossible() else { return NotificationPermission.unavailable.json }
      if let decided = record?.allowsNotifications {
        return (decided ? NotificationPermission.granted : .denied).json
      }
      let name = config?.appName ?? "This program"
      let choice = await ChoiceDialog.ask(
        title: "Notifications", message: "\(PrintableText.of(name)) wants to show notifications.",
        choices: ["Refuse", "Allow"], over: window)
      guard let choice else { return NotificationPermission.undetermined.json }
      record?.allowsNotifications = choice == 1
      writeRecord()
      return (choice == 1 ? NotificationPermission.granted : .denied).json
    }

    // MARK: - Answers and identity

    /// The loaded flow.
    public func getOnboardingData() -> OnboardingData? { flow }

    /// The identifier of the person; nil before `configure`.
    public func getUserId() -> String? { userId }

    /// The identifier of the person, which is made if there is none.
    public func getRampKitUserId() async -> String {
      if let userId { return userId }
      let identity = await UserIdentity(storage: services.storage).identifier()
      userId = identity.value
      return identity.value
    }

    public func getAppId() -> String? { config?.appId }
    public func getAppUserID() -> String? { config?.appUserID }
    public func getDeviceInfo() -> DeviceInfo { device }
    public func getTargetingResult() -> Targeting.Result? { targeting }

    /// Sets the program's own identifier of the person.
    public func setAppUserID(_ identifier: String?) {
      config?.appUserID = identifier
      device.appUserID = identifier
      sendDevice()
    }

    /// The variables of the flow that is shown, or else of the last one.
    public func getAnswers() async -> JSONObject {
      if let overlay { return overlay.answers }
      await writing?.value
      return (try? await AnswersStore(storage: services.storage).answers()) ?? [:]
    }

    public func getAnswer(_ name: String) async -> JSONValue? { await getAnswers()[name] }

    /// Forgets the flow and the answers, and configures RampKit again. The identifier of the person remains.
    public func reset() async {
      overlay?.hideOverlay()
      overlay = nil
      await writing?.value
      unwritten = nil
      do { try await AnswersStore(storage: services.storage).remove() } catch {
        log("Reset", "The answers cannot be removed: \(Failure(error).description)", .error)
      }
      flow = nil
      targeting = nil
      userId = nil
      if let config { await configure(config: config) }
    }

    /// Stores the newest answers. While they are written, newer ones wait.
    private func keep(_ answers: JSONObject) {
      unwritten = answers
      guard writing == nil else { return }
      writing = Task { [weak self, storage = services.storage] in
        while let answers = self?.unwritten {
          self?.unwritten = nil
          do { try await AnswersStore(storage: storage).set(answers) } catch {
            self?.log("Answers", Failure(error).description, .error)
          }
        }
        self?.writing = nil
      }
    }

    // MARK: - This launch

    private func beginLaunch(_ config: RampKitConfig) {
      let now = services.now()
      let path = LaunchRecord.path(services.environment, appName: config.appName)
      var record = self.record ?? LaunchRecord.read(path) ?? LaunchRecord(installDate: now)
      let previous = record.lastLaunch
      // `reset` is no new launch.
      if self.record == nil {
        record.launchCount += 1
        record.lastLaunch = now
      }
      self.record = record
      writeRecord()
      device = DeviceInfo.collected(services.environment, locale: config.locale)
      device.appUserId = userId ?? ""
      device.appUserID = config.appUserID
      device.appSessionId = sessionId
      device.installDate = Timestamp.text(record.installDate)
      device.isFirstLaunch = record.isFirstLaunch
      device.launchCount = record.launchCount
      device.lastLaunchAt = previous.map(Timestamp.text)
      device.bundleId = config.bundleId
      device.appName = config.appName
      device.appVersion = config.appVersion
      device.buildNumber = config.buildNumber
      device.sdkVersion = TesseraVersion.current
      device.platformWrapper = config.platformWrapper
      device.collectedAt = Timestamp.text(now)
    }

    private func writeRecord() {
      guard let record, let config else { return }
      do { try record.write(LaunchRecord.path(services.environment, appName: config.appName)) } catch {
        log("Init", Failure(error).description, .warning)
      }
    }

    private func targetingContext() -> TargetingContext {
      var context = TargetingContext()
      context.isNewUser = device.isFirstLaunch
      context.daysSinceInstall = Int64(record?.days(until: services.now()) ?? 0)
      context.model = device.deviceModel
      context.osVersion = device.platformVersion
      context.interfaceStyle = device.interfaceStyle
      context.country = device.regionCode ?? context.country
      context.language = device.deviceLanguageCode ?? context.language
      context.locale = device.deviceLocale
      context.currencyCode = device.deviceCurrencyCode ?? context.currencyCode
      context.appVersion = config?.appVersion ?? context.appVersion
      context.buildNumber = config?.buildNumber ?? context.buildNumber
      context.sdkVersion = device.sdkVersion
      return context
    }

    /// What pages know.
    private var context: PageContext {
      var known = PageContext.Device(platform: device.platform)
      known.model = device.deviceModel
      known.locale = device.deviceLocale
      known.language = device.deviceLanguageCode
      known.country = device.regionCode
      known.currencyCode = device.deviceCurrencyCode
      known.currencySymbol = device.deviceCurrencySymbol
      known.appVersion = config?.appVersion
      known.buildNumber = config?.buildNumber
      known.bundleId = config?.bundleId
      known.interfaceStyle = device.interfaceStyle
      known.timezone = device.timezoneOffsetSeconds
      known.daysSinceInstall = record?.days(until: services.now()) ?? 0
      var user = PageContext.User(id: userId ?? "", isNewUser: device.isFirstLaunch)
      user.sessionId = sessionId
      user.installedAt = device.installDate
      return PageContext(device: known, user: user)
    }

    // MARK: - Reports

    private func report(_ event: FlowEvent) {
      if config?.verboseLogging == true { logger.info("Event: \(event.name)") }
      guard let sender, sender.isOn, let appId = config?.appId else { return }
      let frame = EventSender.Frame(appId: appId, device: device, flowId: flow?.onboardingId, targeting: targeting)
      let now = services.now()
      Task { [weak self] in
        do { try await sender.send(event, in: frame, at: now) } catch {
          self?.log("Event", "\(event.name) was not sent. \(Failure(error).description)", .warning)
        }
      }
    }

    private func sendDevice() {
      guard let sender, sender.isOn, let appId = config?.appId else { return }
      Task { [weak self, device, targeting] in
        do { try await sender.send(device, targeting: targeting, appId: appId) } catch {
          self?.log("Device", "The device information was not sent. \(Failure(error).description)", .warning)
        }
      }
    }

    private func log(_ context: String, _ message: String, _ level: Logger.Level) {
      guard level >= .warning || config?.verboseLogging == true else { return }
      logger.log(level: level, "\(context): \(PrintableText.of(message))")
    }
  }

  /// The onboarding flows of this program.
  @MainActor public let RampKit = RampKitCore.shared
#endif
