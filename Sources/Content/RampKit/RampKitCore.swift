internal import FoundationEssentials
import Logging
import RampKitFlow
import ReRune
import TesseraBridge
import TesseraCore
import TesseraGrants
internal import TesseraHTTPClient
import TesseraWebContent
import TesseraWindow

/// The onboarding flows of a program.
///
/// The functions do not throw: what does not work is logged, and the program goes on without a flow, as if there were
/// none.
@MainActor
public final class RampKitCore {
  /// The flows of this program, which `RampKit` names, too.
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
  /// The flow that is shown.
  package private(set) var overlay: RampKitOverlayController?
  private var sender: EventSender?
  private let queue = SendingQueue()
  /// The identifier of the user, while it is read and afterwards, and the program to which it belongs.
  private var identity: (appName: String, reading: Task<(value: String, isStored: Bool), Never>)?
  /// Counts the calls of `configure`: an older one that ends later changes nothing.
  private var generation = 0
  /// The answers of the last flow that this process showed.
  private var lastAnswers: JSONObject?
  /// New with each start of the program.
  private let sessionId = UUID().uuidString.lowercased()
  /// Writes of the answers, one after another.
  private var writing: Task<Void, Never>?
  /// The answers that are not written yet, and the store of the program that asked for them.
  private var unwritten: [(store: AnswersStore, answers: JSONObject)] = []

  package init(services: RampKitServices) { self.services = services }

  // MARK: - Loading

  /// Loads the flow for this user, and shows it if the configuration wants that. A later call replaces an earlier one
  /// that has not ended.
  public func configure(config: RampKitConfig) async {
    generation += 1
    let generation = generation
    // Another program has other launches and answers.
    if let previous = self.config, previous.appName != config.appName {
      record = nil
      lastAnswers = nil
    }
    self.config = config
    let identity = await identity(config)
    guard generation == self.generation else { return }
    if !identity.isStored {
      log("Init", "The user id cannot be stored, so it changes with the next start.", .warning)
    }
    userId = identity.value
    beginLaunch(config)
    sender = EventSender(transport: services.transport, base: config.functionsBase, apiKey: config.apiKey)
    queue.onDrop = { [weak self] in self?.log("Event", "The server is too slow. Events are dropped.", .warning) }
    report(
      FlowEvent(
        "app_session_started",
        ["isFirstLaunch": .bool(device.isFirstLaunch), "launchCount": .integer(Int64(device.launchCount))]))
    sendDevice()
    flow = nil
    targeting = nil
    do {
      try await load(config, generation)
    } catch {
      guard generation == self.generation else { return }
      log("Load", Failure(error).description, .error)
    }
    guard generation == self.generation else { return }
    if let flow { logger.info("Init: a flow with \(flow.screens.count) screens is ready.") }
    if config.autoShowOnboarding, flow != nil { showOnboarding() }
  }

  /// The name of `configure` in an earlier version of the SDK.
  @available(*, deprecated, renamed: "configure(config:)")
  public func initialize(config: RampKitConfig) async { await configure(config: config) }

  /// The identifier of the user. All callers wait for one reading.
  private func identity(_ config: RampKitConfig) async -> (value: String, isStored: Bool) {
    if let identity, identity.appName == config.appName { return await identity.reading.value }
    let reading = Task { [storage = services.storage, owner = FlowOwner.program(config.appName)] in
      await UserIdentity(storage: storage, owner: owner).identifier()
    }
    identity = (config.appName, reading)
    return await reading.value
  }

  private func load(_ config: RampKitConfig, _ generation: Int) async throws {
    let loader = FlowLoader(transport: services.transport)
    let address: String
    if let custom = config.customOnboardingURL {
      address = custom
    } else if let base = config.manifestBase, let appId = config.appId {
      let manifest = try await loader.manifest(of: appId, below: base)
      guard generation == self.generation else { return }
      guard let result = Targeting.choose(from: manifest, for: targetingContext(), userId: userId ?? "anonymous")
      else {
        throw FlowDocumentError.noFlow("The chosen target of the manifest has no flow.")
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
    let (flow, problems) = try await loader.flow(at: address)
    guard generation == self.generation else { return }
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
    for problem in problems.lazy.filter({ $0.severity == .error }).prefix(20) {
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
    // Scripts of other hosts are no content of the program.
    try WebSandbox.require(isOwnContent: isOwnFlow && flow.requiredScripts.isEmpty)
    let overlay = RampKitOverlayController(
      flow, context: context, locale: device.pageLocale, options: options, hooks: hooks(flow),
      bridge: bridge(of: flow))
    self.overlay = overlay
    overlay.showOverlay()
    Task { [weak self] in
      _ = await overlay.waitUntilClosed()
      self?.ended(overlay)
    }
  }

  private func ended(_ overlay: RampKitOverlayController) {
    guard self.overlay === overlay else { return }
    lastAnswers = overlay.answers
    self.overlay = nil
  }

  /// Sets a variable of the flow that is loaded or shown. Pages can only read one whose name starts with `onboarding.`.
  public func setVariable(_ name: String, _ value: JSONValue) {
    if let overlay { return overlay.set(name, value) }
    flow?.variables.removeAll { $0.name == name }
    flow?.variables.append(OnboardingVariable(name: name, initialValue: value))
  }

  /// Closes the flow as if the user had closed it.
  public func closeOnboarding() { overlay?.closeOverlay() }

  /// Waits until the flow is closed, its answers are stored, and its events are sent: for the last at most two seconds.
  ///
  /// - Returns: how the flow ended; nil if none was shown.
  @discardableResult
  public func waitUntilClosed() async -> FlowOutcome? {
    guard let overlay else { return nil }
    let outcome = await overlay.waitUntilClosed()
    ended(overlay)
    await writing?.value
    await queue.finish(atMost: .seconds(2))
    return outcome
  }

  func hooks(_ flow: OnboardingData) -> RampKitOverlayController.Hooks {
    var hooks = RampKitOverlayController.Hooks()
    hooks.play = { [haptics = services.haptics] event in Task { await haptics.play(event) } }
    hooks.open = { [links = services.links, weak self] address in
      Task {
        if await !links.open(address) { self?.log("Link", "Nothing opens addresses here.", .warning) }
      }
    }
    hooks.requestReview = { [weak self] in self?.requestReview() }
    hooks.requestNotifications = { [weak self] window in await self?.askForNotifications(over: window) }
    hooks.finished = { [weak self] in self?.config?.onOnboardingFinished?($0) }
    hooks.showPaywall = { [weak self] in self?.config?.onShowPaywall?($0) }
    hooks.keepAnswers = { [weak self, store = answersStore] in self?.keep($0, in: store) }
    hooks.report = { [weak self, targeting] in self?.report($0, flow: flow.onboardingId, targeting: targeting) }
    hooks.debug = { [weak self] in
      if self?.config?.verboseLogging == true { self?.log("Page", $0, .info) }
    }
    hooks.log = { [weak self] in self?.log("Flow", $0, .warning) }
    return hooks
  }

  /// The bridge to the hardware, if the configuration names this flow, and to the texts of ReRune.
  private func bridge(of flow: OnboardingData) -> ContentChannel? {
    guard let config else { return nil }
    var permissions = flow.onboardingId.flatMap { config.hardware[$0] } ?? []
    guard !permissions.isEmpty || config.sharesTexts else { return nil }
    // What is not granted is not there at all, and nobody is asked in the name of a flow.
    var router =
      permissions.isEmpty
      ? MessageRouter(handlers: [])
      : (config.router ?? .withSystemProviders()).limited(to: Set(permissions.map(\.domain)))
    let texts = config.sharesTexts ? ReRuneBridgeHandler() : nil
    if let texts {
      router = router.serving(texts)
      permissions.insert(Grant.Permission(.i18n))
    }
    let caller = FlowOwner.flow(flow.onboardingId ?? "", of: config.appName)
    return BridgeReceiver.channel(
      router: router, permissions: Permissions(granted: [Grant(caller, permissions)]), caller: { _ in caller },
      onOpen: { bridge in texts.map { bridge.push($0.events) } })
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
    decideNotifications(choice == 1)
    return (choice == 1 ? NotificationPermission.granted : .denied).json
  }

  /// Keeps the user's decision, which is not asked for again.
  package func decideNotifications(_ allows: Bool) {
    record?.allowsNotifications = allows
    writeRecord()
  }

  /// Shows a notification, if the user allowed it when a page asked.
  ///
  /// - Returns: whether it was shown.
  @discardableResult
  public func notify(title: String, body: String) async -> Bool {
    guard record?.allowsNotifications == true, let config else { return false }
    return await services.notifications.show(application: config.appName, title: title, body: body)
  }

  // MARK: - Answers and identity

  /// The loaded flow.
  public func getOnboardingData() -> OnboardingData? { flow }

  /// The identifier of the user; nil before `configure`.
  public func getUserId() -> String? { userId }

  /// The identifier of the user, which is made if there is none.
  public func getRampKitUserId() async -> String {
    let value = await identity(config ?? RampKitConfig()).value
    userId = value
    return value
  }

  /// The application's identifier of the configuration.
  public func getAppId() -> String? { config?.appId }
  /// The program's own identifier of the user.
  public func getAppUserID() -> String? { config?.appUserID }
  /// What is known of the device and of this start of the program; empty before `configure`.
  public func getDeviceInfo() -> DeviceInfo { device }
  /// Why the loaded flow was chosen; nil if no manifest was asked.
  public func getTargetingResult() -> Targeting.Result? { targeting }

  /// Sets the program's own identifier of the user.
  public func setAppUserID(_ identifier: String?) {
    config?.appUserID = identifier
    device.appUserID = identifier
    sendDevice()
  }

  /// The variables of the flow that is shown, or else of the last one.
  public func getAnswers() async -> JSONObject {
    if let answers = overlay?.answers ?? lastAnswers { return answers }
    return (try? await answersStore.answers()) ?? [:]
  }

  /// One of the answers.
  public func getAnswer(_ name: String) async -> JSONValue? { await getAnswers()[name] }

  /// Forgets the flow and the answers, and configures RampKit again. The identifier of the user remains.
  public func reset() async {
    overlay?.hideOverlay()
    overlay = nil
    await writing?.value
    unwritten = []
    lastAnswers = nil
    do { try await answersStore.remove() } catch {
      log("Reset", "The answers cannot be removed: \(Failure(error).description)", .error)
    }
    flow = nil
    targeting = nil
    userId = nil
    identity = nil
    if let config { await configure(config: config) }
  }

  private var answersStore: AnswersStore {
    AnswersStore(storage: services.storage, owner: FlowOwner.program((config ?? RampKitConfig()).appName))
  }

  /// Stores the newest answers of each program. While they are written, newer ones wait.
  private func keep(_ answers: JSONObject, in store: AnswersStore) {
    unwritten.removeAll { $0.store.owner == store.owner }
    unwritten.append((store, answers))
    guard writing == nil else { return }
    writing = Task { [weak self] in
      while let (store, answers) = self?.nextUnwritten() {
        do { try await store.set(answers) } catch {
          self?.log("Answers", Failure(error).description, .error)
        }
      }
      self?.writing = nil
    }
  }

  private func nextUnwritten() -> (AnswersStore, JSONObject)? { unwritten.isEmpty ? nil : unwritten.removeFirst() }

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

  /// Reports something that the program knows, for example a purchase. Nothing is sent without `functionsBase`.
  ///
  /// - Parameters:
  ///   - name: one of `FlowEvent.knownNames`, or another one.
  ///   - properties: at most 64 KiB as JSON.
  public func track(_ name: String, _ properties: JSONObject = [:]) {
    report(FlowEvent(name, properties, isKnown: FlowEvent.knownNames.contains(name)))
  }

  private static let maximumEventSize = 64 << 10

  private func report(_ event: FlowEvent) { report(event, flow: flow?.onboardingId, targeting: targeting) }

  private func report(_ event: FlowEvent, flow: String?, targeting: Targeting.Result?) {
    if config?.verboseLogging == true { logger.info("Event: \(event.name)") }
    guard let sender, sender.isOn, let appId = config?.appId else { return }
    guard JSONValue.object(event.properties).text.utf8.count <= Self.maximumEventSize else {
      return log("Event", "An event has more than \(Self.maximumEventSize) bytes and is dropped.", .warning)
    }
    let frame = EventSender.Frame(appId: appId, device: device, flowId: flow, targeting: targeting)
    let now = services.now()
    queue.send { [weak self] in
      do { try await sender.send(event, in: frame, at: now) } catch {
        await self?.log("Event", "\(event.name) was not sent. \(Failure(error).description)", .warning)
      }
    }
  }

  private func sendDevice() {
    guard let sender, sender.isOn, let appId = config?.appId else { return }
    queue.send { [weak self, device, targeting] in
      do { try await sender.send(device, targeting: targeting, appId: appId) } catch {
        await self?.log("Device", "The device information was not sent. \(Failure(error).description)", .warning)
      }
    }
  }

  private func log(_ context: String, _ message: String, _ level: Logger.Level) {
    guard level >= .warning || config?.verboseLogging == true else { return }
    logger.log(level: level, "\(context): \(PrintableText.of(message))")
  }
}

/// The onboarding flows of this program. The name is the one of the mobile SDK.
// swift-format-ignore: AlwaysUseLowerCamelCase
@MainActor public let RampKit = RampKitCore.shared

/// The identifier of the user, which is made if there is none.
@MainActor
public func getRampKitUserId() async -> String { await RampKit.getRampKitUserId() }
