package import ArgumentParser
package import Tessera

/// The arguments of `tessera serve`, which `tessera-fleet` receives unchanged with `--fleet`.
package struct ServeOptions: ParsableArguments {
  package static let discussion = """
    Programs connect to a Unix socket and exchange one JSON message per line. A web page loads /bridge.js from the \
    WebSocket's port. Its origin needs a grant for each domain or method that it uses. `tessera service install` sets \
    up systemd to start the service on demand.

    Examples:
      tessera serve
      tessera serve --virtual --websocket 127.0.0.1:8484 \\
        --grant https://wallet.example=nfc,secureStorage,crypto

    --page serves a page that reads and verifies a document, for any browser of this user:
      tessera serve --page

    The service also reads grants from $XDG_CONFIG_HOME/tessera/grants, one per line. A change applies at once:
      https://wallet.example = nfc, secureStorage, crypto
    A grant for "local" restricts this user's programs; without one, they have full access. The log contains the grant \
    that a refused request lacks.

    A scan waits 110 s for a document and ends after 115 s, before the time limit of a page (120 s). --wait can \
    shorten the wait.

    biometrics.authenticate asks for a finger (fprintd). With --allow-password, it asks for the account's password \
    where there is no finger, and answers "deviceCredential" instead of true; pages need --allow-password-for-pages.

    --store selects where keys are generated and used, for example a TPM:
      tessera serve --store tpm2
      tessera serve --store "pkcs11:token=work" --passphrase-fd 3 3< pin.txt

    With --fleet, the inspectors of a fleet prove and judge the documents (`tessera inspect --fleet`), and record each \
    read. This machine then needs no country certificates:
      tessera serve --page --fleet tls://nats.example.org --fleet-seed desk-d1.nk
    """

  /// Without a folder for the standard socket.
  package static let socketRemedy = "Use --socket PATH, or set XDG_RUNTIME_DIR."

  /// The address of `--page` without `--websocket`.
  package static let standardAddress = "127.0.0.1:8484"

  package init() {}

  @Option(
    help: ArgumentHelp("The Unix socket (default: $XDG_RUNTIME_DIR/tessera/bridge.sock).", valueName: "path"),
    completion: .file())
  package var socket: String?

  @Option(
    help: ArgumentHelp("Serve web pages at this loopback address; port 0 selects a free port.", valueName: "host:port"))
  package var websocket: String?

  @Flag(help: "Serve Tessera's page, which reads and verifies a document (at 127.0.0.1:8484 without --websocket).")
  package var page = false

  @Flag(
    help: """
      Serve pages in sandboxed browsers (Flatpak), too. Every sandboxed program of this user can then pose as a granted \
      page.
      """)
  package var allowSandboxedBrowsers = false

  @Option(
    name: .customLong("grant"), parsing: .singleValue,
    help: ArgumentHelp(
      "Grant a web origin these domains, or methods such as nfc.scan; repeatable.", valueName: "origin=domain,…"))
  package var grants: [String] = []

  @Flag(
    help: """
      Ask in a dialog whether a page of this machine (http://localhost) may use a device that no grant mentions: Never, \
      Once, Always. The dialog belongs to tessera-window.
      """)
  package var ask = false

  @Flag(help: "Serve metrics in the Prometheus text format on metrics.sock, next to the socket.")
  package var metrics = false

  @Flag(help: "Record analytics events in analytics.jsonl in the user's data folder: 2 MiB at most, no personal data.")
  package var analytics = false

  @Flag(help: "Log every connection.")
  package var verbose = false

  @OptionGroup(title: "Reader") package var card: CardOptions
  @OptionGroup(title: "Key store") package var store: StoreOptions
  @OptionGroup(title: "Fingerprints") package var password: PasswordOptions
  @OptionGroup(title: "Fleet") package var desk: DeskOptions

  /// The address for web pages; nil for none.
  package var webAddress: String? { websocket ?? (page ? Self.standardAddress : nil) }

  /// A page that asks for a document would never get any from a desk that reads remotely.
  package func requireWitnessedReading() throws {
    if desk.fleetReading == .remote {
      throw ValidationError(
        "serve requires --fleet-reading witnessed: pages receive the document's data, which a desk that reads "
          + "remotely does not have. Read with `tessera fleet read --fleet-reading remote` instead.")
    }
  }
}

/// Whose requests the password of the account may answer, where there is no finger.
package struct PasswordOptions: ParsableArguments {
  package init() {}

  @Flag(
    help:
      "Where there is no fingerprint reader or no enrolled finger, ask for the account's password: for local programs."
  )
  package var allowPassword = false

  @Flag(help: "The same, for web pages too.")
  package var allowPasswordForPages = false

  package var fallback: PasswordFallback {
    allowPasswordForPages ? .everyone : allowPassword ? .localPrograms : .nobody
  }

  /// The options as arguments.
  package var arguments: [String] {
    switch fallback {
    case .nobody: []
    case .localPrograms: ["--allow-password"]
    case .everyone: ["--allow-password-for-pages"]
    }
  }
}

/// The key store of the bridge.
package struct StoreOptions: ParsableArguments {
  package init() {}

  @Option(help: ArgumentHelp("The key store: \(KeyStores.choices).", valueName: "store"))
  package var store = KeyStores.standard

  @Option(help: ArgumentHelp("Read a key's passphrase or a token's PIN from this file descriptor.", valueName: "n"))
  package var passphraseFd: Int32?

  /// Whether an option differs from its default.
  package var isGiven: Bool { store != KeyStores.standard || passphraseFd != nil }

  /// - Parameter terminal: prompts for a secret that no descriptor provides.
  package func keys(asking terminal: TerminalSecrets = TerminalSecrets()) throws -> any KeyStore {
    try KeyStores.store(
      store, newKeys: .secretServiceOrKeyFile, secrets: try CommandSecrets([.key: passphraseFd], terminal: terminal))
  }
}
