import Logging
import TesseraBridge
import TesseraCore
import TesseraThreads

/// Asks the user about pages of this machine that no grant mentions (`tessera serve --ask`).
final class AskedGrants: Sendable {
  private let current: CurrentGrants
  /// The grants file, which receives the answers "always" and "never"; nil if nothing is kept.
  private let file: String?
  private let router: MessageRouter
  private let logger: Logger
  private let logThrottle: LogThrottle
  private let questions: PermissionQuestions
  /// What was allowed until the connection is closed.
  private let once = Locked<[BridgeConnection: Set<BridgeDomain>]>([:])

  init(
    _ current: CurrentGrants, _ configuration: ServiceConfiguration.Questions, _ router: MessageRouter,
    _ logger: Logger, _ logThrottle: LogThrottle
  ) {
    self.current = current
    self.router = router
    self.logger = logger
    self.logThrottle = logThrottle
    file = configuration.file
    questions = configuration.asking
  }

  /// Whether the user is asked about the caller. Pages of other machines need a grant, as without this.
  static func concerns(_ caller: Caller) -> Bool {
    guard case .web(let origin) = caller else { return false }
    return (try? WebOrigin(named: origin))?.isLoopback ?? false
  }

  /// These end what the connection itself began.
  private static let endings: Set<String> = ["cancelScan", "stopCamera", "stopWatching"]
  /// What a page says of itself. `lifecycle.getConfig` tells which devices there are.
  private static let free: Set<String> = ["lifecycle.ready", "lifecycle.dismiss"]

  /// The decision on a request of such a caller; nil if the user must be asked.
  func decision(_ request: BridgeRequest) -> Bool? {
    switch current.decision(request.caller, request.domain, request.method) {
    case .granted: return true
    case .denied: return false
    case .undecided: break
    }
    if Self.free.contains("\(request.domain).\(request.method)") { return true }
    if Self.endings.contains(request.method) {
      // The scan that it ends may still wait for the user's answer.
      Task { [questions] in await questions.withdraw(request.connection, request.domain) }
      return true
    }
    guard request.domain.wish != nil, router.serves(request.domain),
      request.domain.methods.contains(request.method)
    else { return false }
    return once.withLock { $0[request.connection]?.contains(request.domain) ?? false } ? true : nil
  }

  /// Asks, or waits for the answer to the same question.
  func answer(_ caller: Caller, _ domain: BridgeDomain, over connection: BridgeConnection) async -> PermissionAnswer {
    guard case .web(let origin) = caller else { return .notNow }
    let question = PermissionQuestion(origin: origin, domain: domain)
    return await questions.answer(to: question, for: connection) { [current, once] in
      once.withLock { $0[connection]?.contains(domain) ?? false } ? .once : current.answer(to: question)
    } keep: { [current, file, logger, logThrottle] answer in
      if answer == .notShown {
        logger.log(
          level: logThrottle.level("NOT SHOWN \(origin)", .warning),
          """
          Nobody was asked about a page, since no dialog could be shown: tessera-window needs the display of a session \
          (WAYLAND_DISPLAY or DISPLAY). A grant of the grants file needs no dialog.
          """, metadata: caller.metadata)
      }
      guard let grant = question.grant(answer) else { return }
      current.insert(grant)
      guard let file else { return }
      do {
        try GrantsFile.add(grant, to: file)
      } catch {
        // The user is asked again after the next change of the file. That is no reason to refuse what they allowed.
        logger.warning("The user's answer could not be kept. \(Failure(error).description)")
      }
    } note: { [once] answer in
      if answer == .once { once.withLock { _ = $0[connection, default: []].insert(domain) } }
    }
  }

  /// The connection is closed. Its requests are cancelled, which withdraws their questions.
  func forget(_ connection: BridgeConnection) { once.withLock { $0[connection] = nil } }

  /// Closes the dialog.
  func end() async { await questions.end() }
}
