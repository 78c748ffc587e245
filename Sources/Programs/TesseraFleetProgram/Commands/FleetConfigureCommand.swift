import ArgumentParser
import FoundationEssentials
import TesseraCommandLine
import TesseraCore
import TesseraFleet
import TesseraNATS

extension FleetCommand {
  struct Configure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "configure",
      abstract: "Writes the configuration of the servers, and the seeds.", discussion: FleetConfigureOptions.discussion)

    @OptionGroup var options: FleetConfigureOptions

    func run() async throws {
      let path = URL(fileURLWithPath: options.out).standardizedFileURL.path
      let folder = FleetServerFolder(path: path)
      let servers = try ServerNames(options, folder: path).servers
      var request = FleetServerFolder.Request(
        desks: try Self.names(options.desks, "d"), inspectors: try Self.names(options.inspectors, "i"), servers: servers
      )
      if let certificate = options.tlsCertificate, let key = options.tlsKey, let authorities = options.tlsCa {
        request.tls = FleetServerTLS(certificate: certificate, key: key, authorities: authorities)
      }
      request.allowsUnencryptedNetwork = options.unencrypted
      request.writesClaims = options.claims
      let files = try folder.write(request)
      try StandardOutput.write(
        files.map { "written: \($0.path)" }.joined(separator: "\n") + "\n\n"
          + (Self.application(of: files) + nextCommands(folder, request, servers: servers)).joined(separator: "\n"))
    }

    /// How servers that run with an earlier configuration take this one.
    ///
    /// A server that cannot change one setting while it runs refuses the whole configuration, although the signal to reload
    /// ends with the status 0 (nats-server 2.9.10): the key of a desk that was removed would stay valid.
    private static func application(of files: [FleetServerFolder.WrittenFile]) -> [String] {
      let restarted = files.filter { $0.server != nil && $0.isChanged }
      let others = files.filter { $0.server != nil && !$0.isChanged }
      let haveAccountsChanged = files.contains {
        $0.isChanged && $0.path.hasSuffix("/\(FleetServerConfiguration.accountsFile)")
      }
      var lines: [String] = []
      if !restarted.isEmpty {
        lines += ["Restart these servers. They refuse to reload some of these settings, and everything else with them:"]
        lines += restarted.flatMap { file in ["  \(file.path)"] + file.changes.map { "    \($0)" } }
      }
      if haveAccountsChanged, !others.isEmpty {
        lines += [
          "Reload \(restarted.isEmpty ? "each server" : "each other server") that runs. Its log must say \"Reloaded server "
            + "configuration\":", "  nats-server --signal reload",
        ]
      }
      return lines
    }

    /// `a,b,c`, or a number: then the letter with 1, 2, 3.
    private static func names(_ text: String, _ letter: String) throws -> [String] {
      if let number = Int(text) {
        guard (0...FleetServerConfiguration.maximumDesks).contains(number) else {
          throw ValidationError("The number must be 0 to \(FleetServerConfiguration.maximumDesks).")
        }
        return (0..<number).map { "\(letter)\($0 + 1)" }
      }
      return text.split(separator: ",").map { String($0.trimmingSpaces) }
    }

    private func nextCommands(
      _ folder: FleetServerFolder, _ request: FleetServerFolder.Request, servers: [FleetServer]
    ) -> [String] {
      let scheme = request.tls == nil ? "nats" : "tls"
      let addresses = servers.map { server in
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        return "\(scheme)://\(host):\(server.port)"
      }.joined(separator: ",")
      let protection =
        request.tls.map { " --fleet-ca \(Self.word($0.authorities))" }
        ?? (request.allowsUnencryptedNetwork ? " --unencrypted" : "")
      let fleet = "--fleet \(Self.word(addresses))\(protection) --fleet-seed"
      var lines = ["Start each server on its machine:"]
      lines += servers.map { "  nats-server -c \(Self.word("\(folder.path)/\($0.name).conf"))" }
      lines += [
        "Create the record and the store of certificates, once:",
        "  tessera fleet prepare \(fleet) \(Self.word(folder.administratorSeed))"
          + (servers.count > 1 ? " --replicas \(servers.count)" : ""),
      ]
      if let inspector = request.inspectors.first {
        lines += ["Start the inspectors:", "  tessera inspect \(fleet) \(Self.word(folder.inspectorSeed(inspector)))"]
      }
      if let desk = request.desks.first {
        lines += ["Read a document at a desk:", "  tessera fleet read \(fleet) \(Self.word(folder.deskSeed(desk)))"]
      }
      return lines
    }

    /// The text as one word of a shell.
    private static func word(_ text: String) -> String {
      let isPlain = text.utf8.allSatisfy { byte in
        byte < 0x80
          && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
            || "-_./:@%+=,[]".utf8.contains(byte))
      }
      return isPlain ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
  }
}

/// The servers of `--server`.
private struct ServerNames {
  let servers: [FleetServer]

  init(_ options: FleetConfigureOptions, folder: String) throws {
    let places = options.servers.isEmpty ? ["nats=127.0.0.1"] : options.servers
    servers = try places.map { place in
      guard let separator = place.firstIndex(of: "="),
        let address = try? NATSServerAddress(String(place[place.index(after: separator)...])),
        let port = UInt16(exactly: address.port)
      else { throw ValidationError("--server must be NAME=HOST or NAME=HOST:PORT.") }
      let name = String(place[..<separator])
      return FleetServer(
        name: name, host: address.host, port: port, clusterPort: Self.clusterPort(of: port),
        storeFolder: options.store ?? "\(folder)/\(name).store",
        maximumFileBytes: options.storeLimit << 30)
    }
  }

  /// 6222 for 4222, and as far from it for others, so that servers on one machine do not collide.
  private static func clusterPort(of port: UInt16) -> UInt16 { port <= .max - 2000 ? port + 2000 : port - 2000 }
}
