internal import FoundationEssentials
internal import TesseraCore
package import TesseraFleet
package import TesseraNATS
internal import TestSupport

/// The servers of a fleet as processes, with the configuration that `tessera fleet configure` writes.
package final class LoadServers: Sendable {
  package let processes: [LoadProcess]
  package let folder: FleetServerFolder
  /// Of all servers.
  package let addresses: [String]

  /// Writes the configuration.
  ///
  /// - Parameters:
  ///   - host: the address at which all servers listen.
  ///   - ports: two for each server: for clients and for the other servers.
  package init(folder path: String, host: String = "127.0.0.1", ports: [UInt16], desks: [String], inspectors: [String])
    throws
  {
    guard let program = Self.program else {
      throw Failure(.serviceUnavailable, "nats-server is missing.", remedy: "apt-get install nats-server")
    }
    let servers = (0..<(ports.count / 2)).map { number in
      FleetServer(
        name: "n\(number + 1)", host: host, port: ports[number * 2], clusterPort: ports[number * 2 + 1],
        storeFolder: "\(path)/n\(number + 1).store")
    }
    folder = FleetServerFolder(path: Self.fleetFolder(in: path))
    try FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var request = FleetServerFolder.Request(desks: desks, inspectors: inspectors, servers: servers)
    request.allowsUnencryptedNetwork = true
    _ = try folder.write(request)
    addresses = servers.map { "nats://\($0.host):\($0.port)" }
    // A client uses the addresses that it was given, which may be those of proxies.
    processes = servers.map { [folder] server in
      LoadProcess(server.name, LoadCommand(program, ["-c", "\(folder.path)/\(server.name).conf", "--no_advertise"])) {
        $0.errors.contains("Server is ready")
      }
    }
  }

  /// The installed server; nil if there is none.
  package static let program = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { $0 + "/nats-server" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Where the configuration and the seeds are.
  package static func fleetFolder(in path: String) -> String { "\(path)/fleet" }

  /// Whether tests with servers run. In continuous integration a missing server is a failure, elsewhere they are skipped.
  package static let isEnabled = program != nil || ProcessInfo.processInfo.environment["CI"] == "true"

  package func start() async throws {
    for process in processes { try await process.start() }
  }

  package func stop() async {
    for process in processes { await process.kill() }
  }

  /// The server with this name.
  package func process(named name: String) -> LoadProcess? { processes.first { $0.name == name } }

  // MARK: - Connections

  /// The arguments with which the programs of a fleet find the servers.
  package func arguments(seed: String) -> [String] {
    ["--fleet", addresses.joined(separator: ","), "--fleet-seed", seed, "--unencrypted"]
  }

  package func connectAdministrator() async throws -> NATSConnection {
    try await connect(FleetServerConfiguration.administratorName, seed: folder.administratorSeed)
  }

  /// - Parameter addresses: others than those of the servers, for example that of a proxy.
  package func connectDesk(_ name: String, at addresses: [String]? = nil) async throws -> NATSConnection {
    try await connect(name, seed: folder.deskSeed(name), at: addresses)
  }

  package func connectInspector(_ name: String) async throws -> NATSConnection {
    try await connect(name, seed: folder.inspectorSeed(name))
  }

  private func connect(_ name: String, seed: String, at addresses: [String]? = nil) async throws -> NATSConnection {
    try await Self.connect(name, seed: seed, at: addresses ?? self.addresses)
  }

  package static func connect(_ name: String, seed: String, at addresses: [String]) async throws -> NATSConnection {
    guard let key = try NKeyFile(path: seed).read() else { throw Failure(.usage, "\(seed) is missing.") }
    return try await NATSConnection.connect(
      NATSConfiguration(
        servers: try addresses.map(NATSServerAddress.init), name: name,
        credentials: .seed(file: seed, publicKey: key.publicKey.text), inboxPrefix: FleetSubject.inbox(name)))
  }
}
