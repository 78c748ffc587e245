internal import Foundation
internal import TesseraCore
package import TesseraNATS
internal import TesseraThreads
internal import TestSupport

/// Servers of NATS on loopback: one, or a cluster. Each has reserved ports, and its files are in a temporary folder.
package final class NATSServers: Sendable {
  private struct Server {
    let port: ReservedPort
    let clusterPort: ReservedPort
    var process: RunningProgram?
  }
  private let servers: Locked<[Server]>
  private let folder: TemporaryFolder
  /// How many servers there are. Their names are `n1`, `n2`, …
  package let count: Int
  /// For clients, in the order of the servers.
  package let addresses: [NATSServerAddress]
  /// nil if the servers do not use TLS.
  package let certificate: LabCertificate?

  /// The reason why there can be no servers here; nil if there can.
  package static var unavailableReason: String? {
    LoadServers.program == nil ? "nats-server is missing: apt-get install nats-server" : nil
  }

  /// Whether tests with servers run. In continuous integration a missing server is a failure, elsewhere they are
  /// skipped.
  package static var isEnabled: Bool { LoadServers.isEnabled }

  /// Starts servers, and waits until they accept connections. A cluster may have no leader yet.
  ///
  /// - Parameters:
  ///   - configuration: More lines for the configuration of each server.
  ///   - certificate: What the servers prove themselves with; nil for no TLS.
  /// - Throws: `Failure` if one does not start.
  package static func start(
    _ count: Int = 1, hasJetStream: Bool = false, certificate: LabCertificate? = nil, configuration: String = ""
  ) async throws -> NATSServers {
    let servers = try NATSServers(count, hasJetStream, certificate, configuration)
    for number in 0..<count { try servers.launch(number) }
    for number in 0..<count { try await servers.awaitReady(number) }
    return servers
  }

  private init(_ count: Int, _ hasJetStream: Bool, _ certificate: LabCertificate?, _ configuration: String) throws {
    self.count = count
    self.certificate = certificate
    folder = try TemporaryFolder()
    let servers = try (0..<count).map { _ in try Server(port: ReservedPort(), clusterPort: ReservedPort()) }
    self.servers = Locked(servers)
    addresses = servers.map {
      NATSServerAddress(
        host: certificate == nil ? "127.0.0.1" : "localhost", port: $0.port.number, isTLS: certificate != nil)
    }
    for (number, server) in servers.enumerated() {
      var lines = ["listen: \"127.0.0.1:\(server.port.number)\"", "server_name: n\(number + 1)", configuration]
      if hasJetStream { lines.append("jetstream { store_dir: \"\(folder.file("store\(number + 1)"))\" }") }
      if let certificate {
        lines.append("tls { cert_file: \"\(certificate.file)\", key_file: \"\(certificate.keyFile)\" }")
      }
      if count > 1 {
        let routes = servers.map { "\"nats://127.0.0.1:\($0.clusterPort.number)\"" }.joined(separator: ", ")
        lines.append("cluster { name: lab, listen: \"127.0.0.1:\(server.clusterPort.number)\", routes: [\(routes)] }")
      }
      let path = folder.file("n\(number + 1).conf")
      try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
  }

  deinit {
    for server in servers.withLock({ $0 }) { server.process?.send(signal: SIGKILL) }
  }

  private func launch(_ number: Int) throws {
    guard let program = LoadServers.program else {
      throw Failure(.serviceUnavailable, "nats-server is missing.", remedy: "apt-get install nats-server")
    }
    let process = try RunningProgram(URL(fileURLWithPath: program), ["-c", folder.file("n\(number + 1).conf")])
    servers.withLock { $0[number].process = process }
  }

  private func awaitReady(_ number: Int) async throws {
    guard let process = servers.withLock({ $0[number].process }),
      await process.wait(until: { $0.errors.contains("Server is ready") || !$0.isRunning }), process.isRunning
    else { throw Failure(.serviceUnavailable, "nats-server \(number + 1) did not start.") }
  }

  // MARK: - Faults

  /// Kills a server with SIGKILL, and waits for its end.
  package func kill(_ number: Int) async {
    guard let process = servers.withLock({ $0[number].process }) else { return }
    process.send(signal: SIGKILL)
    _ = await process.wait { !$0.isRunning }
  }

  /// Starts a server that was killed, with the same files and ports.
  package func restart(_ number: Int) async throws {
    try launch(number)
    try await awaitReady(number)
  }

  /// Suspends a server until `resume(_:)`, as an overloaded machine does.
  package func suspend(_ number: Int) { servers.withLock { $0[number].process }?.suspend() }

  package func resume(_ number: Int) { servers.withLock { $0[number].process }?.resume() }

  /// What the first server has stored: the content and the time of each file, by its path.
  package func storedFiles() throws -> [String: String] {
    let store = folder.url.appendingPathComponent("store1")
    var files: [String: String] = [:]
    for path in FileManager.default.subpaths(atPath: store.path) ?? [] {
      let url = store.appendingPathComponent(path)
      guard let content = try? Data(contentsOf: url) else { continue }
      let changed = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
      files[path] = "\(content.base64EncodedString()) \(changed?.timeIntervalSince1970 ?? 0)"
    }
    return files
  }

  /// The number of the server with this name.
  package func number(of name: String) -> Int? { (0..<count).first { "n\($0 + 1)" == name } }

  package func stop() async {
    for number in 0..<count { await kill(number) }
  }

  // MARK: - Connections

  /// - Parameters:
  ///   - credentials: nil if the servers ask for none.
  ///   - authorities: nil for the file of the servers' certificate.
  package func configuration(
    _ name: String = "lab", credentials: NATSCredentials? = nil, authorities: String? = nil
  ) -> NATSConfiguration {
    var configuration = NATSConfiguration(
      servers: addresses, name: name, credentials: credentials,
      certificateAuthorities: authorities ?? certificate?.file, inboxPrefix: "lab.inbox.\(name)",
      connectTimeout: .seconds(60))
    // Beside a whole test bundle, a server can go without processor time for longer than the usual limit.
    configuration.writeDeadline = .seconds(60)
    return configuration
  }

  package func connect(_ name: String = "lab", credentials: NATSCredentials? = nil) async throws -> NATSConnection {
    try await NATSConnection.connect(configuration(name, credentials: credentials))
  }
}
