package import ArgumentParser
import FoundationEssentials
internal import Tessera

/// The servers of a fleet, and who this program is there.
package struct FleetOptions: ParsableArguments {
  package init() {}

  @Option(
    name: .customLong("fleet"), parsing: .singleValue,
    help: ArgumentHelp(
      "A server of the fleet, nats://host:4222 or tls://host:4222. Repeatable, or separated by commas.",
      valueName: "url,…"))
  package var places: [String] = []

  @Option(
    help: ArgumentHelp(
      "The file with this program's NKEY seed. `tessera fleet configure` writes one for each desk and inspector.",
      valueName: "file"), completion: .file())
  package var fleetSeed: String?

  @Option(
    help: ArgumentHelp("The file with this program's JWT and seed instead, as nsc writes it.", valueName: "file"),
    completion: .file())
  package var fleetCredentials: String?

  @Option(
    help: ArgumentHelp("The certificates of the authorities that certify the servers, PEM.", valueName: "file"),
    completion: .file())
  package var fleetCa: String?

  @Flag(help: "Permit nats:// to a server on the network, whose link is encrypted by other means.")
  package var unencrypted = false

  /// Whether the command concerns a fleet at all.
  package var isGiven: Bool { !places.isEmpty }

  /// The options as arguments, with absolute paths.
  var arguments: [String] {
    var arguments = ["--fleet", servers.joined(separator: ",")]
    let files = [("--fleet-seed", fleetSeed), ("--fleet-credentials", fleetCredentials), ("--fleet-ca", fleetCa)]
    for (name, path) in files {
      if let path { arguments += [name, URL(fileURLWithPath: path).path] }
    }
    if unencrypted { arguments.append("--unencrypted") }
    return arguments
  }

  /// The addresses of the servers.
  package var servers: [String] {
    places.flatMap { $0.split(separator: ",") }.map { String($0.trimmingSpaces) }.filter { !$0.isEmpty }
  }

  package func validate() throws {
    if fleetSeed != nil, fleetCredentials != nil {
      throw ValidationError("--fleet-seed and --fleet-credentials are mutually exclusive.")
    }
    if !isGiven, fleetSeed != nil || fleetCredentials != nil || fleetCa != nil || unencrypted {
      throw ValidationError("--fleet-seed, --fleet-credentials, --fleet-ca and --unencrypted require --fleet.")
    }
    if isGiven, servers.isEmpty { throw ValidationError("--fleet requires the address of a server.") }
    for server in servers {
      // Other users of the machine see the arguments of a program.
      if server.contains("@") {
        throw ValidationError("--fleet must have no password. Use --fleet-seed or --fleet-credentials.")
      }
      guard let address = FleetAddress(server) else {
        throw ValidationError("--fleet must be nats://host:port or tls://host:port.")
      }
      guard address.isEncrypted || address.isLoopback || unencrypted else {
        throw ValidationError(
          "\(server) would send personal data over the network without TLS. Use tls:// with --fleet-ca, or accept with "
            + "--unencrypted that the network can read everything.")
      }
    }
  }

  /// For commands that concern nothing but a fleet.
  package func requireServers() throws {
    if !isGiven { throw ValidationError("--fleet is required, for example --fleet nats://127.0.0.1:4222.") }
  }

  /// The name in the seed's file, `desk-NAME.nk` or `inspector-NAME.nk`; nil if the file has another name.
  package func nameInSeedFile(after prefix: String) -> String? {
    guard let file = fleetSeed?.split(separator: "/").last, file.hasPrefix(prefix), file.hasSuffix(".nk") else {
      return nil
    }
    return String(file.dropFirst(prefix.count).dropLast(3))
  }
}

/// The arguments of `tessera fleet status`, which `tessera-fleet` receives unchanged.
package struct FleetStatusOptions: ParsableArguments {
  package static let discussion = """
    Shows the inspectors, the record and the country certificates of the fleet: on a terminal each second until \
    Ctrl-C, else once. The administrator's seed is needed.

    Examples:
      tessera fleet status --fleet nats://127.0.0.1:4222 --fleet-seed admin.nk
      tessera fleet status --fleet tls://nats.example.org \\
        --fleet-seed admin.nk --json
    """

  package init() {}

  @OptionGroup(title: "Fleet") package var fleet: FleetOptions

  @Flag(help: "Show the status once, on a terminal too.")
  package var once = false

  @Flag(help: "Print one JSON object.")
  package var json = false

  package func validate() throws { try fleet.requireServers() }
}
