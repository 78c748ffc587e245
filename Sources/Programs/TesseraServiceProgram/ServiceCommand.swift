import ArgumentParser
import FoundationEssentials
import Glibc
import Tessera
import TesseraCommandLine
import TesseraDurableFiles
import TesseraService

struct ServiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.service.name,
    abstract: SiblingCommand.service.abstract,
    discussion: """
      Examples:
        tessera service install
        tessera service install --websocket 127.0.0.1:8484
        tessera service install --reader ACR1252 --websocket 127.0.0.1:8484 \\
          --grant http://localhost:5173=nfc
        tessera service status
      """,
    subcommands: [Install.self, Status.self, Uninstall.self])

  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "install",
      abstract: "Installs the units and starts listening: systemd starts the service when a program connects.",
      discussion: """
        The service reads grants for web pages from $XDG_CONFIG_HOME/tessera/grants (see `tessera serve --help`).

        Example:
          tessera service install --websocket 127.0.0.1:8484
        """)

    @Option(
      help: ArgumentHelp(
        "Serve web pages at this loopback address. The service then starts with the session.", valueName: "host:port"))
    var websocket: String?

    @Flag(help: "Serve Tessera's page, which reads and verifies a document (at 127.0.0.1:8484 without --websocket).")
    var page = false

    @Flag(help: "Serve pages in sandboxed browsers (Flatpak), too; see `tessera serve --help`.")
    var allowSandboxedBrowsers = false

    @Flag(help: "Serve metrics in the Prometheus text format on metrics.sock, next to the socket.")
    var metrics = false

    @Flag(
      help: "Record analytics events in analytics.jsonl in the user's data folder: 2 MiB at most, no personal data.")
    var analytics = false

    @Option(
      name: .customLong("grant"), parsing: .singleValue,
      help: ArgumentHelp(
        "Grant a web origin these domains, or methods such as nfc.scan; repeatable.", valueName: "origin=domain,…"))
    var grants: [String] = []

    @Flag(help: "Ask in a dialog of the session what pages of this machine may do; see `tessera serve --help`.")
    var ask = false

    @Option(
      help: ArgumentHelp("The PC/SC reader; a unique part of its name is enough.", valueName: "name"),
      completion: NameCompletion.readers)
    var reader: String?

    @Option(
      help: ArgumentHelp("The libnfc device, for example pn532_uart:/dev/ttyUSB0.", valueName: "connstring"))
    var nfc: String?

    @Option(
      name: .customLong("virtual"), defaultAsFlag: ChipProfile.bac.name, parsing: .next,
      help: ArgumentHelp("Use the built-in virtual chip instead of a reader.", valueName: "profile"),
      completion: NameCompletion.profiles)
    var virtualProfile: String?

    @Option(help: ArgumentHelp("The key store: \(KeyStores.choices).", valueName: "store"))
    var store = KeyStores.standard

    @OptionGroup(title: "Fingerprints") var password: PasswordOptions
    @OptionGroup(title: "Fleet") var desk: DeskOptions

    func validate() throws {
      if [reader, nfc, virtualProfile].count(where: { $0 != nil }) > 1 {
        throw ValidationError("--reader, --nfc and --virtual are mutually exclusive.")
      }
      guard desk.fleetReading == .witnessed else {
        throw ValidationError("A service requires --fleet-reading witnessed; see `tessera serve --help`.")
      }
    }

    func run() async throws {
      let environment = ProcessInfo.processInfo.environment
      var arguments: [String] = []
      let websocket = websocket ?? (page ? ServeOptions.standardAddress : nil)
      if let websocket {
        let address = try LoopbackAddress(websocket)
        guard address.port != 0 else {
          throw Failure(
            .usage, "An installed service requires a fixed port.", remedy: "For example: --websocket 127.0.0.1:8484")
        }
        arguments += ["--websocket", websocket]
      }
      if page { arguments.append("--page") }
      if allowSandboxedBrowsers { arguments.append("--allow-sandboxed-browsers") }
      if metrics { arguments.append("--metrics") }
      if analytics { arguments.append("--analytics") }
      for grant in grants {
        _ = try Grant(grant)
        arguments += ["--grant", grant]
      }
      ServeOptions.noteUselessGrants(grants, webAddress: websocket)
      if ask {
        // The service would end at its start.
        _ = try PermissionDialog.asking()
        arguments.append("--ask")
      }
      if let reader { arguments += ["--reader", reader] }
      if let nfc {
        _ = try LibNFCConnstring(nfc)
        arguments += ["--nfc", nfc]
      }
      if let virtualProfile { arguments.append("--virtual=\(try ChipOptions.profile(virtualProfile).name)") }
      if store != KeyStores.standard {
        _ = try KeyStores.store(store, newKeys: .secretServiceOrKeyFile, secrets: Desktop())
        arguments += ["--store", store]
      }
      arguments += password.arguments + desk.arguments
      let folder = UnitFolder(environment)
      try folder.write(
        ServiceUnits(
          program: try Self.program(), arguments: arguments,
          // The state has the newest time of a document, by which a wrong clock is noticed.
          writableFolders: [UserFolders.data(environment), UserFolders.state(environment) + "/tessera"],
          environment: environment.filter { ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"].contains($0.key) },
          startsWithSession: websocket != nil, seesCallers: websocket != nil && !allowSandboxedBrowsers))
      try StandardOutput.write("units written to \(folder.path)")
      if let obstacle = UserManager(folder, environment).obstacle { return Note.write(obstacle) }
      _ = folder.manager(["daemon-reload"])
      let names = [ServiceUnits.socketName] + (websocket != nil ? [ServiceUnits.serviceName] : [])
      // Units that are already running or enabled have the old settings.
      _ = folder.manager(["disable", "--now", ServiceUnits.socketName, ServiceUnits.serviceName])
      guard let result = folder.manager(["enable", "--now"] + names), result.status == 0 else {
        throw Failure(
          .serviceUnavailable, "systemd did not start the units.",
          remedy: "Run: systemctl --user status \(names.joined(separator: " "))")
      }
      try StandardOutput.write("listening; `tessera service status` shows the state")
    }

    private static func program() throws -> String {
      guard let path = ProgramFile.running else {
        throw Failure(
          .internalError, "The path of this program cannot be determined.", remedy: "Check that /proc is mounted.")
      }
      return path
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Shows whether the units are installed and the service responds; exit status 3 if it does not.",
      discussion: """
        Example:
          tessera service status
        """)

    func run() async throws {
      let environment = ProcessInfo.processInfo.environment
      let folder = UnitFolder(environment)
      try StandardOutput.write("units      \(folder.pathInUse ?? "not installed")")
      if let unit = folder.outdatedUnit {
        Note.write(
          "The unit is of an earlier version: with PrivateUsers= the service refuses all pages. Run `tessera service "
            + "install` again, with the options after `serve` in \(unit).")
      }
      let manager = UserManager(folder, environment)
      if let state = manager.state { try StandardOutput.write("systemd    \(state)") }
      let user = ProcessInfo.processInfo.userName
      let path = try SocketPath.standard(environment, remedy: manager.folderRemedy(user: user))
      let request = BridgeRequest(
        id: UUID().uuidString, domain: .lifecycle, method: "getConfig", parameters: BridgeParameters())
      guard case .answer = try await BridgeClient(socketPath: path).call(request, onEvent: { _, _ in }) else {
        throw Failure(
          .serviceUnavailable, "No service responds at \(path).",
          remedy: manager.remedy(isInstalled: folder.pathInUse != nil, user: user))
      }
      try StandardOutput.write("answers    \(path)")
    }
  }

  struct Uninstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "uninstall",
      abstract: "Stops the service and removes its units. Keys, secrets and documents remain.",
      discussion: """
        Example:
          tessera service uninstall
        """)

    func run() async throws {
      let folder = UnitFolder(ProcessInfo.processInfo.environment)
      if folder.isInstalled {
        _ = folder.manager(["disable", "--now", ServiceUnits.socketName, ServiceUnits.serviceName])
      }
      guard try folder.remove() else {
        return Note.write(
          folder.pathInUse == nil
            ? "No units are installed."
            : "The units belong to the package tessera. To turn them off, run: systemctl --user disable --now "
              + "\(ServiceUnits.socketName) \(ServiceUnits.serviceName)")
      }
      _ = folder.manager(["daemon-reload"])
      try StandardOutput.write("units removed from \(folder.path)")
    }
  }
}
