import ArgumentParser
import DurableFiles
import Foundation
import Service
import Tessera

struct ServiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service",
    abstract: "Has systemd run `tessera serve` for this user.",
    discussion: """
      Examples:
        tessera service install
        tessera service install --websocket 127.0.0.1:8484
        tessera service status
      """,
    subcommands: [Install.self, Status.self, Uninstall.self])

  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes the units and has systemd listen at the socket; a program that connects starts the service.",
      discussion: """
        Grants for web pages stand in $XDG_CONFIG_HOME/tessera/grants (see `tessera serve --help`).

        Example:
          tessera service install --websocket 127.0.0.1:8484
        """)

    @Option(
      help: ArgumentHelp("Serve pages at this loopback address, from the session's start.", valueName: "host:port"))
    var websocket: String?

    @Flag(help: "Serve Prometheus' text page on metrics.sock beside the socket.")
    var metrics = false

    @Flag(help: "Keep what is used in analytics.jsonl with the user's data: 2 MiB at most, nothing personal.")
    var analytics = false

    @Option(
      name: .customLong("virtual"), defaultAsFlag: ChipProfile.bac.name, parsing: .next,
      help: ArgumentHelp("Serve the built-in chip instead of a reader.", valueName: "profile"))
    var virtualProfile: String?

    @Option(help: ArgumentHelp("Where keys are: file, tpm2 or a pkcs11: URI (RFC 7512).", valueName: "store"))
    var store = "file"

    func run() async throws {
      let environment = ProcessInfo.processInfo.environment
      var arguments: [String] = []
      if let websocket {
        let address = try LoopbackAddress(websocket)
        guard address.port != 0 else {
          throw Failure(.usage, "An installed service has a port of its own.", remedy: "For example 127.0.0.1:8484")
        }
        arguments += ["--websocket", websocket]
      }
      if metrics { arguments.append("--metrics") }
      if analytics { arguments.append("--analytics") }
      if let virtualProfile { arguments.append("--virtual=\(try ChipOptions.profile(virtualProfile).name)") }
      if store != "file" {
        _ = try KeyStores.store(store, newKeys: .secretServiceOrKeyFile, secrets: Desktop())
        arguments += ["--store", store]
      }
      let folder = UnitFolder(environment)
      try folder.write(
        ServiceUnits(
          program: try Self.program(), arguments: arguments, writableFolders: [UserFolders.data(environment)],
          environment: environment.filter { ["XDG_DATA_HOME", "XDG_CONFIG_HOME"].contains($0.key) },
          startsWithSession: websocket != nil))
      try StandardOutput.write("units written to \(folder.path)")
      guard folder.manager(["daemon-reload"]) != nil else {
        return Note.write("No service manager of this user is running; the units count from its next start.")
      }
      let names = [ServiceUnits.socketName] + (websocket != nil ? [ServiceUnits.serviceName] : [])
      // What runs already, and what starts with the session, is so by the old settings.
      _ = folder.manager(["disable", "--now", ServiceUnits.socketName, ServiceUnits.serviceName])
      guard let result = folder.manager(["enable", "--now"] + names), result.status == 0 else {
        throw Failure(
          .serviceUnavailable, "systemd did not start the units.",
          remedy: "Ask it: systemctl --user status \(names.joined(separator: " "))")
      }
      try StandardOutput.write("listening; `tessera service status` tells more")
    }

    private static func program() throws -> String {
      guard let path = Bundle.main.executablePath, path.hasPrefix("/") else {
        throw Failure(.internalError, "This program does not know its own path.")
      }
      return path
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tells whether the units are there and the service answers; exit status 3 where it does not.",
      discussion: """
        Example:
          tessera service status
        """)

    func run() async throws {
      let environment = ProcessInfo.processInfo.environment
      let folder = UnitFolder(environment)
      try StandardOutput.write("units      \(folder.isInstalled ? folder.path : "not installed")")
      if let state = folder.manager(["is-active", ServiceUnits.socketName, ServiceUnits.serviceName]) {
        let words = state.output.split(separator: "\n")
        if words.count == 2 { try StandardOutput.write("systemd    socket \(words[0]), service \(words[1])") }
      }
      let path = try SocketPath.standard(environment)
      let request = BridgeRequest(
        id: UUID().uuidString, domain: .lifecycle, method: "getConfig", parameters: BridgeParameters())
      guard case .answer = try await BridgeClient(socketPath: path).call(request, onEvent: { _, _ in }) else {
        throw Failure(
          .serviceUnavailable, "No service answers at \(path).",
          remedy: "Start one with `tessera serve`, or have systemd do it: tessera service install")
      }
      try StandardOutput.write("answers    \(path)")
    }
  }

  struct Uninstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stops the service and removes its units; keys, secrets and documents stay.",
      discussion: """
        Example:
          tessera service uninstall
        """)

    func run() async throws {
      let folder = UnitFolder(ProcessInfo.processInfo.environment)
      if folder.isInstalled {
        _ = folder.manager(["disable", "--now", ServiceUnits.socketName, ServiceUnits.serviceName])
      }
      guard try folder.remove() else { return Note.write("There were no units to remove.") }
      _ = folder.manager(["daemon-reload"])
      try StandardOutput.write("units removed from \(folder.path)")
    }
  }
}
