package import ArgumentParser

/// The arguments of `tessera fleet prepare`, which `tessera-fleet` receives unchanged.
package struct FleetPrepareOptions: ParsableArguments {
  package static let discussion = """
    Creates the stream of the records and the store of the country certificates on the servers, with the \
    administrator's seed. Repeat it to change the limits; what is there stays, and what is as it should be is not \
    touched.

    The servers delete the oldest records beyond --keep. Once --record-limit is reached, they accept no further ones: \
    inspectors then keep the records, and desks get verdicts until the disks of the inspectors are full.

    Examples:
      tessera fleet prepare --fleet nats://127.0.0.1:4222 --fleet-seed admin.nk
      tessera fleet prepare --fleet tls://n1.example.org,tls://n2.example.org \\
        --fleet-ca ca.pem --fleet-seed admin.nk --replicas 3 --keep 365
    """

  package init() {}

  @OptionGroup(title: "Fleet") package var fleet: FleetOptions

  @Option(help: ArgumentHelp("The number of servers that keep each record: 1, 3 or 5.", valueName: "number"))
  package var replicas = 1

  @Option(help: ArgumentHelp("How long records are kept (default: without end).", valueName: "days"))
  package var keep: Int?

  @Option(help: ArgumentHelp("The most gigabytes of records.", valueName: "gb"))
  package var recordLimit = 8

  package func validate() throws {
    try fleet.requireServers()
    guard [1, 3, 5].contains(replicas) else { throw ValidationError("--replicas must be 1, 3 or 5.") }
    if let keep, !(1...36_500).contains(keep) { throw ValidationError("--keep must be 1 to 36500 days.") }
    guard (1...100_000).contains(recordLimit) else {
      throw ValidationError("--record-limit must be 1 to 100000 gigabytes.")
    }
  }
}
