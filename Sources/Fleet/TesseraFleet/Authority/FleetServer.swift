/// One `nats-server` of a fleet.
package struct FleetServer: Sendable, Equatable {
  /// Its name in the cluster, and that of its configuration file.
  package var name: String
  /// The address at which it listens, an IP address or a name.
  package var host: String
  package var port: UInt16
  /// The port for the other servers of the cluster.
  package var clusterPort: UInt16
  /// The folder of the streams.
  package var storeFolder: String
  /// The most bytes that streams may take. Less than the volume has: a server whose disk is full hangs.
  package var maximumFileBytes: Int

  package init(
    name: String, host: String = "127.0.0.1", port: UInt16 = 4222, clusterPort: UInt16 = 6222, storeFolder: String,
    maximumFileBytes: Int = 10 << 30
  ) {
    self.name = name
    self.host = host
    self.port = port
    self.clusterPort = clusterPort
    self.storeFolder = storeFolder
    self.maximumFileBytes = maximumFileBytes
  }

  var isLoopback: Bool { Self.isLoopback(host) }

  /// Whether a name or an address, IPv6 without brackets, is that of this machine.
  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.") && host.allSatisfy(isDigit)
  }

  private static func isDigit(_ character: Character) -> Bool {
    character == "." || character.isASCII && character.isNumber
  }

  /// `host:port`; an IPv6 address in brackets.
  func address(_ port: UInt16) -> String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The files of a server's certificate, as its machine names them.
package struct FleetServerTLS: Sendable, Equatable {
  package var certificate: String
  package var key: String
  /// The certificates of the authorities that issue the certificates of the servers of a cluster, and those of clients if
  /// these are verified.
  package var authorities: String
  /// Whether a client needs a certificate, too. Its NKEY still tells who it is.
  package var verifiesClients: Bool

  package init(certificate: String, key: String, authorities: String, verifiesClients: Bool = false) {
    self.certificate = certificate
    self.key = key
    self.authorities = authorities
    self.verifiesClients = verifiesClients
  }
}

/// The configuration of the `nats-server` processes of a fleet: who may log in, and what each may do.
///
/// The server never checks the reply subject of a message, so permissions alone do not keep a desk from sending the
/// answer of a stream or an inspector to a subject of another desk. Each desk therefore has an account of its own, with a
/// subject space of its own. Four kinds of subjects lead out of it or into it: its reads and its answers to relay
/// requests, and the relay requests and answers for it.
///
/// They are exported and imported as streams of messages, not as services. A service keeps the reply subject of each
/// request, and a wildcard in it, which a desk can send, ends nats-server 2.9 (a recursion without end). An inspector
/// therefore sees the reply subject as the desk wrote it, and must answer only where `FleetSubject.isInbox` allows it.
package struct FleetServerConfiguration: Sendable {
  package var desks: [FleetUser]
  /// Desks see the names of inspectors in the subjects that they answer, so these are not names of machines.
  package var inspectors: [FleetUser]
  /// The key that creates streams, publishes country certificates and asks for the status.
  package var administrator: NKeyPublicKey
  /// The key that sees the servers' events and removes a lost server from a cluster.
  package var system: NKeyPublicKey
  /// One server, or those of a cluster.
  package var servers: [FleetServer]
  package var tls: FleetServerTLS?
  /// Whether servers may listen at the network without TLS: a link that is encrypted by other means.
  package var allowsUnencryptedNetwork = false
  /// Whether the claims for accounts and users with JWTs are written, too.
  package var writesClaims = false

  /// The most desks: 2,000 accounts were not ready after six seconds.
  package static let maximumDesks = 1000
  /// The most connections of one desk: a machine that lost its network leaves some behind that the server still counts.
  static let deskConnections = 8
  /// The most subscriptions of one connection of a desk.
  static let deskSubscriptions = 64
  /// The name of the file that each server's file includes.
  package static let accountsFile = "accounts.conf"
  /// The name of the file of the claims for JWTs.
  package static let claimsFile = "claims.json"
  /// The last word of the administrator's inbox subjects.
  package static let administratorName = "admin"
  /// Neither desks nor inspectors may have these names.
  private static let reservedNames = [administratorName, "system"]

  package init(
    desks: [FleetUser], inspectors: [FleetUser], administrator: NKeyPublicKey, system: NKeyPublicKey,
    servers: [FleetServer], tls: FleetServerTLS? = nil
  ) {
    self.desks = desks
    self.inspectors = inspectors
    self.administrator = administrator
    self.system = system
    self.servers = servers
    self.tls = tls
  }

  /// A file of the configuration.
  package struct File: Sendable, Equatable {
    package let name: String
    package let text: String
  }

  /// The file of the accounts, which all servers share, one file for each server, and that of the claims. None has a
  /// secret.
  ///
  /// - Throws: `FleetAuthorityError`.
  package func files() throws -> [File] {
    try check()
    return [File(name: Self.accountsFile, text: try accounts())]
      + (try servers.map { File(name: "\($0.name).conf", text: try text(of: $0)) })
      + (writesClaims ? [File(name: Self.claimsFile, text: fleetAccounts.claims.text + "\n")] : [])
  }

  var fleetAccounts: FleetAccounts { FleetAccounts(desks: desks.map(\.name), inspectors: inspectors.map(\.name)) }

  private func check() throws {
    guard desks.count <= Self.maximumDesks else { throw FleetAuthorityError.tooManyDesks(limit: Self.maximumDesks) }
    // Desks and inspectors share the subjects of inboxes.
    for group in [desks.map(\.name) + inspectors.map(\.name), servers.map(\.name)] {
      var seen: Set<String> = []
      for name in group where !seen.insert(name).inserted { throw FleetAuthorityError.duplicateName(name) }
    }
    for user in desks + inspectors where Self.reservedNames.contains(user.name) {
      throw FleetAuthorityError.badName(user.name)
    }
    var holders: [NKeyPublicKey: String] = [:]
    let keys =
      desks.map { ("the desk \($0.name)", $0.key) } + inspectors.map { ("the inspector \($0.name)", $0.key) }
      + [("the administrator", administrator), ("the system user", system)]
    for (holder, key) in keys {
      guard key.kind == .user else { throw FleetAuthorityError.notAUser(name: holder) }
      if let other = holders.updateValue(holder, forKey: key) { throw FleetAuthorityError.sharedKey(other, holder) }
    }
    guard !servers.count.isMultiple(of: 2) else { throw FleetAuthorityError.badCluster }
    for server in servers {
      guard FleetUser.isName(server.name), "\(server.name).conf" != Self.accountsFile else {
        throw FleetAuthorityError.badName(server.name)
      }
      guard tls != nil || allowsUnencryptedNetwork || server.isLoopback else {
        throw FleetAuthorityError.unencrypted(address: server.address(server.port))
      }
    }
    let addresses = servers.flatMap { server in
      [server.address(server.port)] + (servers.count > 1 ? [server.address(server.clusterPort)] : [])
    }
    guard Set(addresses).count == addresses.count else { throw FleetAuthorityError.badCluster }
  }

  // MARK: - A server

  private func text(of server: FleetServer) throws -> String {
    var settings = ServerSettings()
    settings.comment("Written by tessera fleet configure. Start with: nats-server -c \(server.name).conf")
    try settings.set("server_name", server.name)
    try settings.set("listen", server.address(server.port))
    settings.comment("The files of a read are sent in parts of at most 512 KiB.")
    settings.set("max_payload", 1 << 20)
    try settings.set("ping_interval", "20s")
    try settings.set("write_deadline", "10s")
    settings.comment("A machine under load takes longer than the two seconds that a login has by default.")
    settings.block("authorization") { $0.set("timeout", 10) }
    if let tls { try settings.block("tls") { try Self.write(tls, isCluster: false, to: &$0) } }
    try settings.block("jetstream") {
      try $0.set("store_dir", server.storeFolder)
      $0.comment("Must be less than the volume has: a server whose disk is full hangs.")
      $0.set("max_file", server.maximumFileBytes)
      $0.set("max_mem", 64 << 20)
    }
    if servers.count > 1 {
      try settings.block("cluster") { block in
        try block.set("name", "tessera")
        try block.set("listen", server.address(server.clusterPort))
        try block.set(
          "routes", servers.filter { $0.name != server.name }.map { "nats://\($0.address($0.clusterPort))" })
        if let tls { try block.block("tls") { try Self.write(tls, isCluster: true, to: &$0) } }
      }
    }
    settings.line("include \(try ServerSettings.quoted(Self.accountsFile, "include"))")
    return settings.text
  }

  private static func write(_ tls: FleetServerTLS, isCluster: Bool, to settings: inout ServerSettings) throws {
    try settings.set("cert_file", tls.certificate)
    try settings.set("key_file", tls.key)
    try settings.set("ca_file", tls.authorities)
    if isCluster || tls.verifiesClients { settings.set("verify", true) }
    settings.set("timeout", 10)
  }
}
