import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle

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
  /// The figures to serve, with those of other parts of the program; nil for none.
  private let metrics: PrometheusMetrics?
  /// Whether the log has each connection.
  private let isVerbose: Bool

  package init(
    socket: String?, webSocket: String?, admitsSandboxes: Bool = false, page: ServicePage?, grants: [String],
    metrics: PrometheusMetrics?, isVerbose: Bool
  ) {
    self.socket = socket
    self.webSocket = webSocket
    self.admitsSandboxes = admitsSandboxes
    self.page = page
    self.grants = grants
    self.metrics = metrics
    self.isVerbose = isVerbose
  }

  /// Serves until SIGTERM or SIGINT.
  ///
  /// - Parameter onReady: is called when the server accepts connections.
  package func run(
    _ router: MessageRouter, environment: [String: String] = ProcessInfo.processInfo.environment,
    onReady: @escaping @Sendable (BridgeServer) throws -> Void
  ) async throws {
    // A write to a closed connection then fails with EPIPE, instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    Self.raiseDescriptorLimit()
    var logger = Logger(label: "tessera") { _ in JournalLogHandler() }
    logger.logLevel = isVerbose ? .debug : .info
    let service = BridgeService(try configuration(environment), router: router, logger: logger, onReady: onReady)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.quiet))
    try await group.run()
  }

  private func configuration(_ environment: [String: String]) throws -> ServiceConfiguration {
    var all = try GrantsFile.read(GrantsFile.standardPath(environment))
    all += try grants.map { try Grant($0) }
    var configuration = ServiceConfiguration(
      socketPath: try socket.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        ?? SocketPath.standard(environment),
      webSocket: try webSocket.map { try LoopbackAddress($0) }, grants: Grants(all))
    configuration.admitsSandboxes = admitsSandboxes
    configuration.page = page
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

  /// The log of the service group is for developers only.
  private static var quiet: Logger { Logger(label: "tessera.lifecycle") { _ in SwiftLogNoOpLogHandler() } }
}
