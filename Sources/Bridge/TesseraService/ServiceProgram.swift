import FoundationEssentials
import Glibc
import Logging
import TesseraCore
package import TesseraMetrics
import TesseraThreads
import UnixSignals

/// The service as a program of its own: its log on standard error, the grants of the user's file, and the signals that
/// end it.
package struct ServiceProgram {
  /// The path of the Unix socket; nil for the standard one, or that of systemd.
  private let socket: String?
  /// The address for web pages; nil for none.
  private let webSocket: String?
  /// Whether programs in sandboxes may connect to it.
  private let admitsSandboxes: Bool
  /// The page at that address.
  private let page: ServicePage?
  /// The grants of the command line, in addition to those of the file.
  private let grants: [String]
  /// Asks the user about pages of this machine that no grant mentions; nil if nobody is asked.
  private let ask: PermissionQuestions.Ask?
  /// The figures to serve, with those of other parts of the program; nil for none.
  private let metrics: PrometheusMetrics?
  /// Whether the log has each connection.
  private let isVerbose: Bool
  /// What helps if there is no folder for the standard socket; nil for the library's words.
  private let socketRemedy: String?

  package init(
    socket: String?, webSocket: String?, admitsSandboxes: Bool = false, page: ServicePage?, grants: [String],
    ask: PermissionQuestions.Ask? = nil,
    metrics: PrometheusMetrics?, isVerbose: Bool, socketRemedy: String? = nil
  ) {
    self.socket = socket
    self.webSocket = webSocket
    self.admitsSandboxes = admitsSandboxes
    self.page = page
    self.grants = grants
    self.ask = ask
    self.metrics = metrics
    self.isVerbose = isVerbose
    self.socketRemedy = socketRemedy
  }

  /// Serves until SIGTERM or SIGINT.
  ///
  /// - Parameter onReady: is called when the server accepts connections, with the grants of the file and the command
  ///   line.
  /// - Returns: the signal; nil if the service ended without one.
  package func run(
    _ router: MessageRouter, environment: [String: String] = ProcessInfo.processInfo.environment,
    onReady: @escaping @Sendable (BridgeServer, [Grant]) throws -> Void
  ) async throws -> UnixSignal? {
    // A write to a closed connection then fails with EPIPE, instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    Self.raiseDescriptorLimit()
    var logger = Logger(label: "tessera") { _ in JournalLogHandler() }
    logger.logLevel = isVerbose ? .debug : .info
    let path = GrantsFile.standardPath(environment)
    // Before the first look at the file, so that no change is missed.
    let changes = GrantsFile.changes(of: path)
    let first = try allGrants(path)
    let watching = Locked<Task<Void, Never>?>(nil)
    let service = BridgeService(
      try configuration(environment, path, Grants(first)), router: router, logger: logger
    ) { [logger] server in
      try onReady(server, first)
      let task = Task { await follow(changes, of: path, server, logger) }
      watching.withLock { $0 = task }
    }
    defer { watching.withLock { $0 }?.cancel() }
    let signal = try await SignalledServices.run([service])
    // It holds the server, whose end removes the socket.
    let ended = watching.withLock { $0 }
    ended?.cancel()
    await ended?.value
    return signal
  }

  private static let settling = Duration.milliseconds(200)

  /// The grants of the file, and those of the command line.
  private func allGrants(_ path: String) throws -> [Grant] {
    try GrantsFile.read(path) + grants.map { try Grant($0) }
  }

  /// Has the server use what the file says, until the task is cancelled. A file that cannot be used changes nothing.
  private func follow(
    _ changes: AsyncStream<Void>, of path: String, _ server: BridgeServer, _ logger: Logger
  ) async {
    var problem: String?
    for await _ in changes {
      // An editor writes a file in several steps; between them, denials could be missing.
      try? await Task.sleep(for: Self.settling)
      guard !Task.isCancelled else { return }
      do {
        let new = Grants(try allGrants(path))
        problem = nil
        if server.replaceGrants(with: new) { logger.notice("The grants have changed, and apply from now on.") }
      } catch {
        let failure = Failure(error).description
        if failure != problem { logger.warning("The grants of before stay in force. \(failure)") }
        problem = failure
      }
    }
  }

  private func configuration(
    _ environment: [String: String], _ path: String, _ grants: Grants
  ) throws -> ServiceConfiguration {
    var configuration = ServiceConfiguration(
      socketPath: try socket.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        ?? SocketPath.standard(environment, remedy: socketRemedy),
      webSocket: try webSocket.map { try LoopbackAddress($0) }, grants: grants)
    configuration.admitsSandboxes = admitsSandboxes
    configuration.page = page
    configuration.questions = ask.map {
      ServiceConfiguration.Questions(file: path, PermissionQuestions(pause: .origin, $0))
    }
    configuration.hasMetrics = metrics != nil
    configuration.metrics = metrics
    configuration.isActivatedBySystemd = socket == nil
    return configuration
  }

  /// Raises the limit of open files: each client takes a descriptor.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 16_384)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
