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
