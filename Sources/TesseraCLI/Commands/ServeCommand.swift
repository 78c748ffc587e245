import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import Tessera
import TesseraCommandLine
import TesseraDurableFiles
import TesseraService
import TesseraVerificationPage

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves the bridge to this user's programs and, on request, to web pages.",
    discussion: """
      Programs connect to a Unix socket and exchange one JSON message per line. A web page loads /bridge.js
      from the WebSocket's port. Its origin needs a grant for each domain or method that it uses.
      `tessera service install` sets up systemd to start the service on demand.

      Examples:
        tessera serve
        tessera serve --virtual --websocket 127.0.0.1:8484 \\
          --grant https://wallet.example=nfc,secureStorage,crypto.sign

      --page serves a page that reads and verifies a document, for any browser of this user:
        tessera serve --page

      The service also reads grants from $XDG_CONFIG_HOME/tessera/grants when it starts, one per line:
        https://wallet.example = nfc, secureStorage, crypto.sign
      A grant for "local" restricts this user's programs; without one, they have full access.
      The log contains the grant that a refused request lacks.

      A scan waits 110 s for a document and ends after 115 s, before the time limit of a page (120 s).
      --wait can shorten the wait.

      biometrics.authenticate asks for a finger (fprintd). With --allow-password, it asks for the account's password
      where there is no finger, and answers "deviceCredential" instead of true; pages need --allow-password-for-pages.

      --store selects where keys are generated and used, for example a TPM:
        tessera serve --store tpm2
        tessera serve --store "pkcs11:token=work" --passphrase-fd 3 3< pin.txt
      """)

  @Option(help: ArgumentHelp("The Unix socket (default: $XDG_RUNTIME_DIR/tessera/bridge.sock).", valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp("Serve web pages at this loopback address; port 0 selects a free port.", valueName: "host:port"))
  var websocket: String?

  @Flag(help: "Serve Tessera's page, which reads and verifies a document (at 127.0.0.1:8484 without --websocket).")
  var page = false

  @Option(
    name: .customLong("grant"), parsing: .singleValue,
    help: ArgumentHelp(
      "Grant a web origin these domains or methods; repeatable.", valueName: "origin=domain[.method],…"))
  var grants: [String] = []

  @Flag(help: "Serve metrics in the Prometheus text format on metrics.sock, next to the socket.")
  var metrics = false

  @Flag(help: "Record analytics events in analytics.jsonl in the user's data folder: 2 MiB at most, no personal data.")
  var analytics = false

  @Flag(help: "Log every connection.")
  var verbose = false

  @OptionGroup(title: "Reader") var card: CardOptions
  @OptionGroup(title: "Key store") var store: StoreOptions
  @OptionGroup(title: "Fingerprints") var password: PasswordOptions

  func run() async throws {
    // A write to a closed connection then fails with EPIPE, instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    DescriptorLimit.raise()
    let configuration = try configuration()
    let virtual = try card.virtualDocument()
    let cards = try card.source(virtual?.files, standardWait: LinuxProviders.scanTimeout)
    let router = MessageRouter.withSystemProviders(
      cards: cards, trust: TrustOptions.scans(virtual?.country),
      keys: try store.keys(asking: TerminalSecrets(requiresForeground: true)),
      biometrics: FprintdBiometricProvider(fallback: password.fallback),
      analytics: try analytics ? Self.analyticsFile() : nil)
    var logger = Logger(label: "tessera") { _ in JournalLogHandler() }
    logger.logLevel = verbose ? .debug : .info
    let service = BridgeService(configuration, router: router, logger: logger) { server in
      let places = [server.socketPath, server.webSocketAddress].compactMap { $0 }
      try StandardOutput.write("ready \(places.joined(separator: " "))")
      if let address = server.pageAddress {
        Note.writeLine("The page that reads a document: \(address)")
      } else if let address = server.scriptAddress {
        Self.showScriptTag(address)
      }
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.quiet))
    try await group.run()
  }

  /// Prints instructions for the author of a page to standard error: standard output has only the line `ready`.
  private static func showScriptTag(_ script: String) {
    Note.writeLine(
      """
      A page loads the bridge with the line
        <script src="\(script)" crossorigin></script>
      and needs a grant for its origin. For the Self client at \(ContentPolicy.debugOrigin.canonical), start the \
      service with (for your own page, replace the origin):
        --grant \(Grant.selfClient(ContentPolicy.debugOrigin).argument)
      """)
  }

  private func configuration() throws -> ServiceConfiguration {
    let environment = ProcessInfo.processInfo.environment
    var all = try GrantsFile.read(GrantsFile.standardPath(environment))
    all += try grants.map { try Grant($0) }
    var configuration = ServiceConfiguration(
      socketPath: try socket.map(Self.absolute) ?? SocketPath.standard(environment),
      webSocket: try (websocket ?? (page ? Self.standardAddress : nil)).map { try LoopbackAddress($0) },
      grants: Grants(all))
    if page { configuration.page = Self.verificationPage }
    configuration.hasMetrics = metrics
    configuration.isActivatedBySystemd = socket == nil
    return configuration
  }

  static let standardAddress = "127.0.0.1:8484"

  /// The page, with the permissions that it needs.
  private static var verificationPage: ServicePage {
    let methods: [(BridgeDomain, [String?])] = [
      (.camera, ["scanMRZ"]), (.crypto, ["generateKey", "getPublicKey", "sign"]), (.haptic, ["trigger"]),
      (.lifecycle, [nil]), (.nfc, ["scanReport"]),
    ]
    return ServicePage(
      .verificationPage,
      permissions: Set(methods.flatMap { domain, names in names.map { Grant.Permission(domain, $0) } }))
  }

  private static func analyticsFile() throws -> AnalyticsFile {
    let folder = PrivateFolder(path: UserFolders.data)
    try folder.make()
    return AnalyticsFile(path: folder.path + "/analytics.jsonl")
  }

  static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  /// The log of the service group is for developers only.
  private static var quiet: Logger { Logger(label: "tessera.lifecycle") { _ in SwiftLogNoOpLogHandler() } }
}

/// Raises the limit of open files: each client takes a descriptor.
private enum DescriptorLimit {
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 16_384)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
