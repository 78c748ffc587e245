internal import CTesseraWebKitGTK
internal import Glibc
package import PassageProtocol
package import TesseraCore
package import TesseraHTTPClient
package import TesseraJSON
internal import TesseraWebContent

/// Passage in this process: passes what happens in the views, on the socket and by the clock to a `PassageSession`,
/// and does what it says.
///
/// An engine has one web profile for all its showings, and shows one at a time. Nothing of it is shared with other
/// windows of Tessera.
@MainActor
package final class PassageEngine {
  /// What the engine needs to know of its program.
  package struct Options: Sendable {
    package var config: PassageConfig
    /// The folder of the web profile; nil to keep cookies and data in memory.
    package var profileFolder: String?
    /// The file of the log of what was sent.
    package var logFile: String
    package var title = "Tessera"
    package var fillsScreen = false

    package init(config: PassageConfig, profileFolder: String?, logFile: String) {
      self.config = config
      self.profileFolder = profileFolder
      self.logFile = logFile
    }
  }

  /// What the engine tells its program.
  package struct Hooks {
    package var callback: @MainActor (PassageCallback) -> Void = { _ in }
    /// The answer to a request with this id.
    package var answer: @MainActor (_ id: Int, Result<JSONValue, Failure>) -> Void = { _, _ in }
    /// Opens an address outside of Passage; nil for the desktop's program for it.
    package var openExternally: (@MainActor (String) -> Void)?
    /// Writes into the log. It has neither secrets nor personal data.
    package var log: @MainActor (String) -> Void = { _ in }
    /// The showing is over, and its views are released.
    package var ended: @MainActor (PassageExitReason) -> Void = { _ in }

    package init() {}
  }

  let options: Options
  let hooks: Hooks
  let servers: PassageServers
  let profile: ContentSession
  let backend: PassageBackend
  let log: SentLogFile
  private(set) var session: PassageSession?
  var window: PassageWindow?
  var pages: [PassageView: PassagePage] = [:]
  var automation = PassagePage.Options()
  var popups: [PopupPanel] = []
  var bottomSheet: BottomSheetPanel?
  var website: WebsitePanel?
  private(set) lazy var socket = EngineSocket { [weak self] in self?.handle(.socket($0)) }
  private(set) lazy var timers = EngineTimers { [weak self] in self?.handle(.timer($0)) }
  /// What goes on in the background: also requests of an earlier showing whose responses are not there yet.
  private(set) lazy var tasks = ShowingTasks { [weak self] in self?.handle($0) }
  private(set) lazy var queue = EffectQueue(tasks, waitingAtMost: HostTiming.removal) { [weak self] in
    self?.perform($0)
  }
  private var lastRecord: Task<Void, Never>?
  private var hasReportedLog = false

  /// - Parameter transport: sends the requests.
  /// - Throws: `Failure` of the kind `usage` if an address of the configuration is unusable.
  package init(
    _ options: Options, transport: any HTTPTransport = HTTPSClient(), hooks: Hooks
  ) throws(Failure) {
    servers = try PassageServers(options.config)
    self.options = options
    self.hooks = hooks
    backend = PassageBackend(transport)
    log = SentLogFile(path: options.logFile)
    profile = ContentSession(folder: options.profileFolder)
    if let folder = options.profileFolder { profile.keepCookies(in: folder + "/cookies.sqlite") }
  }

  // MARK: - The program

  /// Shows Passage. Nothing happens while it is shown.
  package func open(intentToken: String) {
    // The addresses were checked before.
    if session == nil { session = try? PassageSession(options.config) }
    handle(.open(SessionOptions(intentToken: intentToken, sessionSuffix: SessionName.suffix())))
  }

  /// Whether Passage is shown, or says goodbye to the server.
  package var isOpen: Bool { session != nil }

  /// Does what the program asks for; `Hooks.answer` follows once.
  package func request(_ request: HostRequest) {
    guard session != nil else { return perform(request) }
    if let refusal = session?.refusal(of: request.call) { return hooks.answer(request.id, .failure(refusal)) }
    var isPerformed = false
    let effects = session?.handle(.host(request), at: .now) ?? []
    for case .perform(let asked) in effects where asked.id == request.id { isPerformed = true }
    perform(effects)
    // The session has done it.
    if !isPerformed { hooks.answer(request.id, .success(.null)) }
  }

  /// Ends everything at once, without a goodbye to the server.
  package func release() {
    session = nil
    releaseViews()
  }

  /// Waits until what was sent is in the log, until the requests have their responses, and until cookies are removed.
  ///
  /// - Parameter limit: how long requests and removals go on.
  package func finish(within limit: Duration) async {
    await tasks.finish(within: limit)
    await lastRecord?.value
  }

  // MARK: - What happens

  func handle(_ input: PassageInput) {
    guard session != nil else { return }
    perform(session?.handle(input, at: .now) ?? [])
  }

  /// - Returns: a number for this moment of the session; nil if there is none.
  func markSession() -> Int? { session?.mark() }

  /// Passes an input whose effects are needed at once.
  func effects(of input: PassageInput) -> [PassageEffect] { session?.handle(input, at: .now) ?? [] }

  func perform(_ more: [PassageEffect]) { queue.add(more) }

  private func perform(_ effect: PassageEffect) {
    switch effect {
    case .connectSocket(let target): socket.connect(target)
    case .disconnectSocket: socket.disconnect()
    case .emit(let emission): socket.emit(emission)
    case .send(let number, let request): send(number, request)
    case .record(let entry): record(entry)
    case .callback(let callback): hooks.callback(callback)
    case .perform(let request): perform(request)
    case .log(let text): hooks.log(text)
    case .startTimer(let timer, let time): timers.start(timer, after: time)
    case .cancelTimer(let timer): timers.cancel(timer)
    case .end(let reason): end(reason)
    default: performInViews(effect)
    }
  }

  // MARK: - The servers

  /// The request goes on when the window is gone: results are still sent.
  private func send(_ number: Int, _ request: PassageRequest) {
    tasks.keep { [backend] in .response(request: number, await backend.outcome(of: request)) }
  }

  private func record(_ entry: SentEntry) {
    lastRecord = Task { [weak self, log, lastRecord] in
      await lastRecord?.value
      do { try await log.append(entry) } catch {
        guard let self, !hasReportedLog else { return }
        hasReportedLog = true
        hooks.log("The log of what was sent cannot be written.")
      }
    }
  }

  // MARK: - The end

  private func end(_ reason: PassageExitReason) {
    session = nil
    releaseViews()
    hooks.ended(reason)
  }

  private func releaseViews() {
    queue.removeAll()
    tasks.end()
    timers.cancelAll()
    socket.disconnect()
    closePanels()
    for page in pages.values { page.close() }
    window?.close()
    pages = [:]
    window = nil
    automation = PassagePage.Options()
  }
}

extension UnixTime {
  /// The time of the system's clock.
  static var now: UnixTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UnixTime(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// The end of a session's name.
private enum SessionName {
  static func suffix() -> String {
    let characters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    var generator = SystemRandomNumberGenerator()
    return String((0..<9).map { _ in characters.randomElement(using: &generator) ?? "0" })
  }
}

/// The timers of a session.
@MainActor
final class EngineTimers {
  private let fire: @MainActor (PassageTimer) -> Void
  private var tasks: [PassageTimer: Task<Void, Never>] = [:]

  init(_ fire: @escaping @MainActor (PassageTimer) -> Void) { self.fire = fire }

  func start(_ timer: PassageTimer, after time: Duration) {
    tasks[timer]?.cancel()
    tasks[timer] = Task { [weak self] in
      guard (try? await Task.sleep(for: time)) != nil, !Task.isCancelled, let self else { return }
      tasks[timer] = nil
      fire(timer)
    }
  }

  func cancel(_ timer: PassageTimer) { tasks.removeValue(forKey: timer)?.cancel() }

  func cancelAll() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }
}
