public import PassageProtocol
public import TesseraJSON

/// Two web views in a process of their own, one with a branded page and one that a server drives.
///
/// The process `tessera-passage` runs in a sandbox without devices, keys, stores and other programs, and with a web
/// profile of its own. Nothing is started before `open`. No server is built in: without `configure`, `open` fails.
@MainActor
public final class Passage {
  public static let shared = Passage()

  private let program: @Sendable () throws(Failure) -> SessionProgram
  private let environment: [String: String]?
  private var config: PassageConfig?
  /// What the process was started with.
  private var processConfig: PassageConfig?
  private var process: PassageProcess?
  /// Counts the processes: what an earlier one still says belongs to nobody.
  private var generation = 0
  /// The callbacks of the session that is shown.
  private var options: PassageOpenOptions?
  private var isReady = false
  private var lastId = 0
  private var calls: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
  private var openings = OpeningLimit()

  /// - Parameters:
  ///   - program: Where `tessera-passage` is.
  ///   - environment: The variables of the program; nil for those of this process.
  package init(
    program: @escaping @Sendable () throws(Failure) -> SessionProgram = SessionProgram.installed,
    environment: [String: String]? = nil
  ) {
    self.program = program
    self.environment = environment
  }

  /// Opens a link of the branded page outside of Passage, for example in a browser; nil for the desktop's program for
  /// it (`xdg-open`). The address is one of https, http, mail, or of the schemes of programs (Passage.md, rule 16). Of
  /// more than five links in ten seconds the others are ignored.
  public var openLink: (@MainActor @Sendable (String) -> Void)?

  // MARK: - Sessions

  /// Sets the servers for the next `open`. A session that is shown keeps its own.
  public func configure(_ config: PassageConfig) { self.config = config }

  /// Shows Passage in a window of its own. While Passage is shown, another call is ignored, and the first callbacks
  /// stay.
  ///
  /// What goes wrong comes by `onConnectionError`; then `onExit` follows with `error` if Passage cannot be shown.
  public func open(_ options: PassageOpenOptions) {
    guard self.options == nil else { return }
    guard let config else { return fail(options, Self.unconfigured) }
    if let failure = Self.problem(of: options, config) { return fail(options, failure) }
    if processConfig != config { retireProcess(Self.closed) }
    self.options = options
    let process = runningProcess(config)
    process.send(.open(PassageOpening(intentToken: options.intentToken, presentation: options.presentationStyle)))
  }

  /// Shows Passage, as `open(_:)` does.
  public func open(
    token: String, presentationStyle: PassagePresentation = .modal,
    onConnectionComplete: (@MainActor @Sendable (PassageSuccessData) -> Void)? = nil,
    onConnectionError: (@MainActor @Sendable (PassageErrorData) -> Void)? = nil,
    onDataComplete: (@MainActor @Sendable (PassageDataResult) -> Void)? = nil,
    onPromptComplete: (@MainActor @Sendable (PassagePromptResponse) -> Void)? = nil,
    onExit: (@MainActor @Sendable (PassageExitReason) -> Void)? = nil,
    onWebviewChange: (@MainActor @Sendable (PassageView) -> Void)? = nil
  ) {
    open(
      PassageOpenOptions(
        intentToken: token, onConnectionComplete: onConnectionComplete, onConnectionError: onConnectionError,
        onDataComplete: onDataComplete, onPromptComplete: onPromptComplete, onExit: onExit,
        onWebviewChange: onWebviewChange, presentationStyle: presentationStyle))
  }

  /// Closes Passage, without asking the user. `onExit` follows with `programmatic_close`. Without effect while
  /// Passage is not shown.
  public func close() {
    guard options != nil, let process else { return }
    process.send(.request(HostRequest(id: nextId(), .close)))
    Task { [weak self, generation] in
      try? await Task.sleep(for: HostTiming.ending)
      guard let self, generation == self.generation else { return }
      abandon()
    }
  }

  /// Ends a process that does not close.
  private func abandon() {
    guard let options else { return }
    self.options = nil
    process?.kill()
    retireProcess(Self.closed)
    options.call(.exit(.programmaticClose))
  }

  /// Whether Passage is shown, and the process of the two views runs.
  public func hasActiveWebViews() -> Bool { options != nil && isReady }

  // MARK: - Views

  /// Loads an address in the visible view.
  ///
  /// - Throws: `Failure` if Passage is not shown, or the address is none of https (or of http on this machine).
  public func navigate(to url: String) async throws { try await callWhileShown(.navigate(url)) }

  /// Goes to the page before in the visible view.
  ///
  /// - Throws: `Failure` if Passage is not shown.
  public func goBack() async throws { try await callWhileShown(.goBack) }

  /// Goes to the next page in the visible view.
  ///
  /// - Throws: `Failure` if Passage is not shown.
  public func goForward() async throws { try await callWhileShown(.goForward) }

  /// Runs a script in a view.
  ///
  /// - Returns: The value of the script; null for a value that JSON cannot express.
  /// - Throws: `Failure` if Passage is not shown, if the view shows a page that the user did not agree to, if the
  ///   script throws, or if it takes longer than 70 seconds.
  @discardableResult
  public func injectJavaScript(_ script: String, in view: PassageView = .automation) async throws -> JSONValue {
    try await callWhileShown(.injectJavaScript(script, view))
  }

  /// Ends a recording: the command that waits gets the status `done` with this data.
  ///
  /// - Throws: `Failure` if Passage is not shown, or the intent token wants no recording.
  public func completeRecording(_ data: JSONValue = .null) async throws {
    try await callWhileShown(.completeRecording(data))
  }

  /// Sends what a recording has so far: the command that waits gets the status `success` with this data.
  ///
  /// - Throws: `Failure` if Passage is not shown, the intent token wants no recording, or no command waits.
  public func captureRecordingData(_ data: JSONValue = .null) async throws {
    try await callWhileShown(.captureRecordingData(data))
  }

  /// Loads an empty document in both views, and forgets their histories.
  ///
  /// A command that loads a page ends with an error. Scripts for the automation view are refused until it has a page
  /// again.
  ///
  /// - Throws: `Failure` if Passage is not shown.
  public func resetWebViewURLs() async throws { try await callWhileShown(.resetWebViewURLs) }

  /// Forgets the state of both views, as `resetWebViewURLs()` does, but neither cookies nor storage.
  ///
  /// - Throws: `Failure` if Passage is not shown.
  public func clearWebViewState() async throws { try await callWhileShown(.clearWebViewState) }

  // MARK: - The web profile

  /// The cookies that a request to this address would have.
  ///
  /// - Throws: `Failure` if `tessera-passage` cannot be started.
  public func getCookies(for url: String) async throws -> [PassageCookie] {
    guard case .array(let elements) = try await call(.cookies(of: url)) else { return [] }
    return elements.compactMap(PassageCookie.init(hostJSON:))
  }

  /// Stores a cookie for an address. An empty domain means the address's host.
  ///
  /// - Throws: `Failure` if `tessera-passage` cannot be started, or the cookie's domain is not one for this address.
  public func setCookie(_ cookie: PassageCookie, for url: String) async throws {
    guard cookie.isMeant(for: url) else { throw PassageCookie.notOfAddress }
    try await call(.setCookie(cookie, for: url))
  }

  /// Removes the cookies that a request to this address would have.
  ///
  /// - Throws: `Failure` if `tessera-passage` cannot be started.
  public func clearCookies(for url: String) async throws { try await call(.clearCookies(of: url)) }

  /// Removes the cookies of these domains. An entry with a leading dot also means all subdomains.
  ///
  /// - Throws: `Failure` if `tessera-passage` cannot be started.
  public func clearCookies(forDomains domains: [String]) async throws {
    try await call(.clearCookiesOfDomains(domains))
  }

  /// Removes all cookies of the web profile of Passage.
  ///
  /// - Throws: `Failure` if `tessera-passage` cannot be started.
  public func clearAllCookies() async throws { try await call(.clearAllCookies) }

  /// Removes everything that sites have stored: cookies, storages and caches.
  ///
  /// - Throws: `Failure` if `tessera-passage` cannot be started.
  public func clearWebViewData() async throws { try await call(.clearWebViewData) }

  /// Ends the process. A session that is shown is closed, and `onExit` follows with `programmatic_close`.
  public func releaseResources() {
    guard process != nil else { return }
    options == nil ? retireProcess(Self.closed) : close()
  }

  // MARK: - Calls

  @discardableResult
  private func callWhileShown(_ call: HostRequest.Call) async throws -> JSONValue {
    guard options != nil else {
      throw Failure(.usage, "Passage is not shown.", remedy: "Call “open” before.")
    }
    return try await self.call(call)
  }

  @discardableResult
  private func call(_ call: HostRequest.Call) async throws -> JSONValue {
    guard let config else { throw Self.unconfigured }
    let process = runningProcess(options == nil ? config : processConfig ?? config)
    let id = nextId()
    let timer = Task { [weak self] in
      guard (try? await Task.sleep(for: HostTiming.answer)) != nil else { return }
      self?.calls.removeValue(forKey: id)?.resume(throwing: Self.unanswered)
    }
    defer {
      timer.cancel()
      endIfIdle()
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        calls[id] = continuation
        process.send(.request(HostRequest(id: id, call)))
      }
    } onCancel: {
      // The process may still do what was asked; nobody waits for its answer.
      Task { @MainActor [weak self] in self?.calls.removeValue(forKey: id)?.resume(throwing: CancellationError()) }
    }
  }

  private func nextId() -> Int {
    lastId &+= 1
    return lastId
  }

  private static let unconfigured = Failure(
    .usage, "Passage does not know its servers.", remedy: "Call “configure” with their addresses first.")

  private static let unanswered = Failure(
    .serviceUnavailable, "The program \(SessionProgram.name) does not answer.",
    remedy: "Call “releaseResources” and open Passage again.")

  // MARK: - The process

  private func runningProcess(_ config: PassageConfig) -> PassageProcess {
    if let process { return process }
    generation += 1
    let process = PassageProcess(program, environment: environment) { [weak self, generation] event in
      guard let self, generation == self.generation else { return }
      self.receive(event)
    }
    self.process = process
    processConfig = config
    process.send(.configure(config))
    return process
  }

  /// The views take hundreds of megabytes, so the process ends with the session.
  private func endIfIdle() {
    if options == nil, calls.isEmpty { retireProcess(Self.closed) }
  }

  private func receive(_ event: PassageProcess.Event) {
    switch event {
    case .message(.ready): isReady = true
    case .message(.callback(let callback)): receive(callback)
    case .message(.openExternally(let address)): openExternally(address)
    case .message(.answer(let id, let value)): calls.removeValue(forKey: id)?.resume(returning: value)
    case .message(.failure(let id?, let failure)): calls.removeValue(forKey: id)?.resume(throwing: failure)
    case .message(.failure(nil, let failure)): ended(failure)
    case .ended(let failure): ended(failure)
    }
  }

  private func receive(_ callback: PassageCallback) {
    guard let options else { return }
    guard case .exit = callback else { return options.call(callback) }
    // The callback may open Passage again, in another process.
    self.options = nil
    retireProcess(Self.closed)
    options.call(callback)
  }

  private func openExternally(_ address: String) {
    // The process shows pages of others, so the host believes nothing.
    guard options != nil, ExternalAddresses.standard.mayOpen(address), openings.take() else { return }
    if let openLink { openLink(address) } else { ExternalOpening.open(address) }
  }

  /// The process is gone, or says that it cannot go on.
  private func ended(_ failure: Failure?) {
    let options = options
    self.options = nil
    retireProcess(failure ?? Self.closed)
    guard let options else { return }
    fail(options, failure ?? Self.closed)
  }

  private func retireProcess(_ failure: Failure) {
    process?.end()
    process = nil
    processConfig = nil
    generation += 1
    isReady = false
    let calls = calls
    self.calls = [:]
    for (_, continuation) in calls { continuation.resume(throwing: failure) }
  }

  private static let closed = Failure(.cancelled, "Passage was closed.")

  private func fail(_ options: PassageOpenOptions, _ failure: Failure) {
    options.call(.connectionError(PassageErrorData(error: failure.description)))
    options.call(.exit(.error))
  }

  private static func problem(of options: PassageOpenOptions, _ config: PassageConfig) -> Failure? {
    do { _ = try PassageServers(config) } catch { return error }
    guard options.intentToken.utf8.count <= PassageOpening.maximumTokenLength else {
      return Failure(
        .usage, "The intent token is longer than \(PassageOpening.maximumTokenLength) bytes.",
        remedy: "Pass the token as the server issued it.")
    }
    return nil
  }
}
