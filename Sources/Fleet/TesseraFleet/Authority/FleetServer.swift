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
