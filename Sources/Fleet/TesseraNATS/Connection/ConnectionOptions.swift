internal import CTesseraNATS
internal import Glibc

/// The options of libnats for one connection.
enum ConnectionOptions {
  /// Calls `body` with the options, which live until it returns.
  ///
  /// - Throws: `NATSError.credentialsUnusable`, and what `body` throws.
  static func with<Result>(
    _ configuration: NATSConfiguration, _ link: ConnectionLink,
    _ body: (OpaquePointer) throws(NATSError) -> Result
  ) throws(NATSError) -> Result {
    var created: OpaquePointer?
    try NATSStatus.check(natsOptions_Create(&created))
    guard let options = created else { throw .library(Int(NATS_NO_MEMORY.rawValue)) }
    defer { natsOptions_Destroy(options) }
    try setServers(configuration.servers.map(\.description), options)
    let statuses = [
      natsOptions_SetName(options, configuration.name),
      natsOptions_SetTimeout(options, configuration.connectTimeout.libraryMilliseconds),
      // `ConnectionHandle` connects again.
      natsOptions_SetAllowReconnect(options, false),
      // A server names the others of its cluster, whose addresses nobody has checked: those of a server behind a tunnel
      // lead around the tunnel.
      natsOptions_SetIgnoreDiscoveredServers(options, true),
      // `ConnectionLoop` asks for signs of life.
      natsOptions_SetPingInterval(options, 0),
      natsOptions_SetWriteDeadline(options, configuration.writeDeadline.libraryMilliseconds),
      natsOptions_SetSendAsap(options, true),
      // One thread hands out the messages of all connections of the process, instead of a thread for each subscription.
      natsOptions_UseGlobalMessageDelivery(options, true),
      link.register(in: options),
    ]
    for status in statuses { try NATSStatus.check(status) }
    guard isUsable(configuration, link, options) else { throw .credentialsUnusable }
    return try body(options)
  }

  private static func setServers(_ servers: [String], _ options: OpaquePointer) throws(NATSError) {
    guard !servers.isEmpty else { throw .unreachable }
    var pointers: [UnsafePointer<CChar>?] = servers.map { UnsafePointer(strdup($0)) }
    defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
    try NATSStatus.check(natsOptions_SetServers(options, &pointers, Int32(servers.count)))
  }

  /// Sets credentials and TLS.
  private static func isUsable(
    _ configuration: NATSConfiguration, _ link: ConnectionLink, _ options: OpaquePointer
  ) -> Bool {
    var statuses: [natsStatus] = []
    switch configuration.credentials {
    case .seed(let file, let key)?:
      // The file is read during a login, whose failure says less.
      guard access(file, R_OK) == 0 else { return false }
      statuses.append(link.registerSignature(of: key, in: options))
    case .credentials(let file)?:
      guard access(file, R_OK) == 0 else { return false }
      statuses.append(natsOptions_SetUserCredentialsFromFiles(options, file, nil))
    case nil: break
    }
    if let authorities = configuration.certificateAuthorities {
      statuses.append(natsOptions_LoadCATrustedCertificates(options, authorities))
    }
    if configuration.certificateAuthorities != nil || configuration.servers.contains(where: \.isTLS) {
      statuses.append(natsOptions_SetSecure(options, true))
    }
    return statuses.allSatisfy { $0 == NATS_OK }
  }
}

/// How a connection is made.
package struct NATSConfiguration: Sendable {
  /// The servers of one cluster. Any of them will do.
  package var servers: [NATSServerAddress]
  /// What the server's administrator sees of this client. No host name, no personal data.
  package var name: String
  /// nil if the servers ask for none.
  package var credentials: NATSCredentials?
  /// A PEM file with the certificates that the servers' certificates must lead to; nil for those of the system.
  package var certificateAuthorities: String?
  /// The beginning of the subjects on which answers to this client's requests arrive.
  package var inboxPrefix: String
  /// How long to wait for each server.
  package var connectTimeout: Duration
  /// A connection whose server does not take for this time what is sent to it is given up.
  package var writeDeadline = Duration.seconds(10)
  /// A connection whose server gives no sign of life for this time is given up. It is asked three times as often.
  package var lifeLimit = Duration.seconds(6)

  /// How long all servers together may take for a connection.
  var longestConnect: Duration { connectTimeout * (3 * max(1, servers.count)) + .seconds(5) }

  package init(
    servers: [NATSServerAddress], name: String, credentials: NATSCredentials? = nil,
    certificateAuthorities: String? = nil, inboxPrefix: String = "_INBOX", connectTimeout: Duration = .seconds(5)
  ) {
    self.servers = servers
    self.name = name
    self.credentials = credentials
    self.certificateAuthorities = certificateAuthorities
    self.inboxPrefix = inboxPrefix
    self.connectTimeout = connectTimeout
  }
}

/// What proves to the servers who this client is.
package enum NATSCredentials: Sendable, Equatable {
  /// The seed of an NKEY in a file, and the public key `U…` that belongs to it.
  case seed(file: String, publicKey: String)
  /// A user's JWT with its seed, as `nsc` writes them into one file.
  case credentials(file: String)
}
