package import ArgumentParser

/// The arguments of `tessera fleet configure`, which `tessera-fleet` receives unchanged.
package struct FleetConfigureOptions: ParsableArguments {
  package static let discussion = """
    Writes the configuration of nats-server for the desks and inspectors of a fleet, and a seed for each of them, into \
    a folder of this user. A desk can publish its own reads and answer its own relays, and nothing else.

    Run the command again with more or fewer desks or inspectors, and the same other options: existing keys stay. It says \
    whether the servers must be reloaded or restarted. Copy each seed to its machine, and keep admin.nk and system.nk.

    Servers that the network reaches need a certificate. A cluster has three or five servers.

    Examples:
      tessera fleet configure --desks 2 --inspectors 2 --out fleet
      tessera fleet configure --desks lobby,bar --inspectors 4 --out fleet \\
        --server n1=10.0.0.1 --server n2=10.0.0.2 --server n3=10.0.0.3 \\
        --tls-certificate /etc/nats/server.pem --tls-key /etc/nats/server.key \\
        --tls-ca /etc/nats/ca.pem
    """

  package init() {}

  @Option(
    help: ArgumentHelp("The names of the desks, separated by commas, or their number.", valueName: "names|number"))
  package var desks: String

  @Option(
    help: ArgumentHelp("The names of the inspectors, separated by commas, or their number.", valueName: "names|number"))
  package var inspectors: String

  @Option(
    help: ArgumentHelp("The folder that receives the configuration and the seeds.", valueName: "dir"),
    completion: .directory)
  package var out: String

  @Option(
    name: .customLong("server"), parsing: .singleValue,
    help: ArgumentHelp(
      "A server's name and address; repeatable (default: nats=127.0.0.1:4222).", valueName: "name=host[:port]"))
  package var servers: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder of a server's streams on its machine (default: the folder NAME.store of --out).", valueName: "dir"),
    completion: .directory)
  package var store: String?

  @Option(
    help: ArgumentHelp(
      "The most gigabytes of a server's streams; less than the volume has, else the server hangs.", valueName: "gb"))
  package var storeLimit = 10

  @Option(
    help: ArgumentHelp("The servers' certificate, PEM, as their machines name it.", valueName: "file"),
    completion: .file())
  package var tlsCertificate: String?

  @Option(help: ArgumentHelp("The key of that certificate.", valueName: "file"), completion: .file())
  package var tlsKey: String?

  @Option(help: ArgumentHelp("The authorities that certify the servers.", valueName: "file"), completion: .file())
  package var tlsCa: String?

  @Flag(help: "Permit servers without TLS on the network, whose link is encrypted by other means.")
  package var unencrypted = false

  @Flag(
    help: """
      Write claims.json, too: the permissions, imports and exports that accounts and users with JWTs must have.
      """)
  package var claims = false

  package func validate() throws {
    let tls = [tlsCertificate, tlsKey, tlsCa].compactMap(\.self).count
    guard tls == 0 || tls == 3 else {
      throw ValidationError("--tls-certificate, --tls-key and --tls-ca must be used together.")
    }
    guard (1...100_000).contains(storeLimit) else {
      throw ValidationError("--store-limit must be 1 to 100000 gigabytes.")
    }
  }
}

/// The arguments of `tessera fleet prepare`, which `tessera-fleet` receives unchanged.
package struct FleetPrepareOptions: ParsableArguments {
  package static let discussion = """
    Creates the stream of the records and the store of the country certificates on the servers, with the \
    administrator's seed. Repeat it with another limit to change that one; what no option names stays as it is, and so \
    does what is stored.

    The servers delete the oldest records beyond --keep. Once --record-limit is reached, they accept no further ones: \
    inspectors then keep the records, and desks get verdicts until the disks of the inspectors are full.

    Examples:
      tessera fleet prepare --fleet nats://127.0.0.1:4222 --fleet-seed admin.nk
      tessera fleet prepare --fleet tls://n1.example.org,tls://n2.example.org \\
        --fleet-ca ca.pem --fleet-seed admin.nk --replicas 3 --keep 365
    """

  package init() {}

  @OptionGroup(title: "Fleet") package var fleet: FleetOptions

  @Option(
    help: ArgumentHelp("The number of servers that keep each record: 1, 3 or 5 (at first: 1).", valueName: "number"))
  package var replicas: Int?

  @Option(
    help: ArgumentHelp("How long records are kept; 0 for without end (at first: without end).", valueName: "days"))
  package var keep: Int?

  @Option(help: ArgumentHelp("The most gigabytes of records (at first: \(usualRecordLimit)).", valueName: "gb"))
  package var recordLimit: Int?

  package static let usualRecordLimit = 8

  package func validate() throws {
    try fleet.requireServers()
    if let replicas, ![1, 3, 5].contains(replicas) { throw ValidationError("--replicas must be 1, 3 or 5.") }
    if let keep, !(0...36_500).contains(keep) { throw ValidationError("--keep must be 0 to 36500 days.") }
    if let recordLimit, !(1...100_000).contains(recordLimit) {
      throw ValidationError("--record-limit must be 1 to 100000 gigabytes.")
    }
  }
}
