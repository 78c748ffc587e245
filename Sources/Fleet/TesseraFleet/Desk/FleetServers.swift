internal import Glibc
internal import TesseraCore
internal import TesseraDurableFiles
package import TesseraNATS

/// The servers of a fleet, and what proves to them who connects.
public struct FleetServers: Sendable {
  /// `nats://host:port` or `tls://host:port`, of one cluster. Name all of its servers: no other is used.
  public var addresses: [String]
  /// The path of the seed of an NKEY, as `tessera fleet configure` writes it.
  public var seedFile: String?
  /// The path of a user's JWT with its seed, instead of `seedFile`.
  public var credentialsFile: String?
  /// The path of a PEM file with the certificates to which those of the servers lead; nil for those of the system.
  public var authoritiesFile: String?
  /// Whether `nats://` may lead to another machine, over a link that is encrypted by other means. Without TLS, whoever
  /// sees the link reads everything, personal data included. false by default.
  public var allowsUnencryptedNetwork = false

  public init(
    _ addresses: [String], seedFile: String? = nil, credentialsFile: String? = nil, authoritiesFile: String? = nil
  ) {
    self.addresses = addresses
    self.seedFile = seedFile
    self.credentialsFile = credentialsFile
    self.authoritiesFile = authoritiesFile
  }

  /// Connects to the first of the servers that answers.
  ///
  /// - Parameter name: of the desk, the inspector or the administrator, as in the permissions of the servers.
  /// - Throws: `NATSError`; `Failure` of the kind `usage` if an address or the seed cannot be used, or an address needs
  ///   `allowsUnencryptedNetwork`; `FolderError`.
  package func connect(as name: DeskName) async throws -> NATSConnection {
    let servers = try addresses.map { try NATSServerAddress($0) }
    if !allowsUnencryptedNetwork, let open = servers.first(where: { !$0.isTLS && !FleetServer.isLoopback($0.host) }) {
      throw Failure(
        .usage, "\(open) would send personal data over the network without TLS.",
        remedy: "Use tls://, or set allowsUnencryptedNetwork if the link is encrypted by other means.")
    }
    return try await NATSConnection.connect(
      NATSConfiguration(
        servers: servers, name: "tessera", credentials: try credentials(),
        certificateAuthorities: authoritiesFile, inboxPrefix: FleetSubject.inbox(name.text)))
  }

  private func credentials() throws -> NATSCredentials? {
    for file in [credentialsFile, authoritiesFile].compactMap(\.self) where access(file, R_OK) != 0 {
      throw Failure.unreadable(file, errno)
    }
    if let credentialsFile {
      guard !Ownership(of: credentialsFile).exposesSecrets else {
        throw FleetAuthorityError.openToOthers(credentialsFile)
      }
      return .credentials(file: credentialsFile)
    }
    guard let seedFile else { return nil }
    guard let key = try NKeyFile(path: seedFile).read() else {
      var failure = Failure.unreadable(seedFile, ENOENT)
      failure.remedy = "Name a file that `tessera fleet configure` wrote, for example fleet/desk-d1.nk."
      throw failure
    }
    return .seed(file: seedFile, publicKey: key.publicKey.text)
  }
}

extension FleetDesk {
  /// Connects a desk to its fleet. `close()` must be called at the end.
  ///
  /// - Parameters:
  ///   - servers: the addresses of the servers, and how the desk proves who it is.
  ///   - name: the desk's name in the permissions of the servers.
  ///   - time: how long a read may take with all its repetitions, from the card to the verdict.
  /// - Throws: an error that converts to a `Failure` if no server answers or accepts the key.
  public static func connect(
    to servers: FleetServers, as name: DeskName, within time: Duration = .seconds(60)
  ) async throws -> FleetDesk {
    var limits = FleetLimits()
    limits.overall = time
    return FleetDesk(connection: try await servers.connect(as: name), name: name, limits: limits)
  }

  /// Ends the connection to the fleet. Reads under way end with an error.
  public func close() async { await connection.close() }
}
