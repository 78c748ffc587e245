import ArgumentParser
import DurableFiles
import Foundation
import Logging
import Service
import ServiceLifecycle
import Tessera

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves the bridge to this user's programs and, when asked, to granted web pages.",
    discussion: """
      Programs connect to a Unix socket and exchange one JSON message a line. A page in a browser loads
      /bridge.js from the WebSocket's port; it may do what its origin was granted, and nothing by default.
      `tessera service install` has systemd start it when it is needed.

      Examples:
        tessera serve
        tessera serve --virtual --websocket 127.0.0.1:8484 \\
          --grant https://wallet.example=nfc,secureStorage,crypto.sign

      Grants can also stand in $XDG_CONFIG_HOME/tessera/grants, one a line:
        https://wallet.example = nfc, secureStorage, crypto.sign
      A scan waits 110 s for a document and ends after 115 s, before a page stops waiting for it (120 s);
      --wait can make the wait shorter.
      A grant for "local" limits this user's programs, which may do everything otherwise. Grants are read
      when the service starts. The log has the line that would allow what was refused.

      Keys of pages and programs are made and used where --store says, in a TPM for example:
        tessera serve --store tpm2
        tessera serve --store "pkcs11:token=work" --passphrase-fd 3 3< pin.txt
      """)

  @Option(help: ArgumentHelp("The Unix socket (default: $XDG_RUNTIME_DIR/tessera/bridge.sock).", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("Serve pages at this loopback address; port 0 takes a free one.", valueName: "host:port"))
  var websocket: String?

  @Option(
    name: .customLong("grant"), parsing: .singleValue,
    help: ArgumentHelp("What a web origin may ask for; repeatable.", valueName: "origin=domain[.method],…"))
  var grants: [String] = []

  @Flag(help: "Serve Prometheus' text page on metrics.sock beside the socket.")
  var metrics = false

  @Flag(help: "Keep what is used in analytics.jsonl with the user's data: 2 MiB at most, nothing personal.")
  var analytics = false

  @Flag(help: "Log every connection.")
  var verbose = false

  @OptionGroup(title: "Where cards come from") var card: CardOptions
  @OptionGroup(title: "Keys") var store: StoreOptions

  func run() async throws {
    // A client that is gone is an error of its connection, and no signal.
    signal(SIGPIPE, SIG_IGN)
    DescriptorLimit.raise()
    let configuration = try configuration()
    let cards = try card.source(try card.virtualFiles(), standardWait: LinuxProviders.scanTimeout)
    let router = Tessera.configure(
      cards: cards, keys: try store.keys(asking: TerminalSecrets(isForForegroundOnly: true)),
      analytics: try analytics ? Self.analyticsFile() : nil)
    var logger = Logger(label: "tessera") { _ in JournalLogHandler() }
    logger.logLevel = verbose ? .debug : .info
    let service = BridgeService(configuration, router: router, logger: logger) { server in
      let places = [server.socketPath, server.webSocketAddress].compactMap { $0 }
      try StandardOutput.write("ready \(places.joined(separator: " "))")
      if let address = server.scriptAddress { Self.tellPages(address) }
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.quiet))
    try await group.run()
  }

  /// What the author of a page needs, beside the one line of standard output.
  private static func tellPages(_ script: String) {
    Note.writeLine(
      """
      Pages load the bridge by the line
        <script src="\(script)" crossorigin></script>
      and need a grant for their origin. This one lets the Self client do all it asks for at \
      \(ContentPolicy.debugOrigin.canonical) (or put your page's origin there):
        --grant \(Grant.selfClient(ContentPolicy.debugOrigin).argument)
      """)
  }

  private func configuration() throws -> ServiceConfiguration {
    let environment = ProcessInfo.processInfo.environment
    var all = try GrantsFile.read(GrantsFile.standardPath(environment))
    all += try grants.map { try Grant($0) }
    var configuration = ServiceConfiguration(
      socketPath: try socket.map(Self.absolute) ?? SocketPath.standard(environment),
      webSocket: try websocket.map { try LoopbackAddress($0) }, grants: Grants(all))
    configuration.hasMetrics = metrics
    configuration.isActivatedBySystemd = socket == nil
    return configuration
  }

  private static func analyticsFile() throws -> AnalyticsFile {
    let folder = PrivateFolder(path: UserFolders.data)
    try folder.make()
    return AnalyticsFile(path: folder.path + "/analytics.jsonl")
  }

  static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  /// The group's own log speaks of signals and services to the developer.
  private static var quiet: Logger { Logger(label: "tessera.lifecycle") { _ in SwiftLogNoOpLogHandler() } }
}

/// Each client takes a descriptor, and the usual limit is for programs that open a few files.
private enum DescriptorLimit {
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 16_384)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
