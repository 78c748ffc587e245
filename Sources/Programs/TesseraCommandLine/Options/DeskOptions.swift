package import ArgumentParser

/// The desk of a fleet that reads the documents.
package struct DeskOptions: ParsableArguments {
  /// Who opens the chip.
  package enum Reading: String, ExpressibleByArgument, CaseIterable {
    /// This desk reads the document, and the inspector proves and judges it.
    case witnessed
    /// The inspector reads the document through this desk, which neither opens nor keeps its data.
    case remote
  }

  package init() {}

  @OptionGroup package var fleet: FleetOptions

  @Option(
    help: ArgumentHelp(
      "This desk's name (default: the one in the name of the seed's file, desk-NAME.nk).", valueName: "name"))
  package var desk: String?

  @Option(
    help: ArgumentHelp(
      """
      Who opens the chip: this desk, while an inspector proves and judges it (witnessed), or an inspector through this \
      desk, which then sees no data (remote).
      """, valueName: "way"))
  package var fleetReading = Reading.witnessed

  package func validate() throws {
    if !fleet.isGiven, desk != nil || fleetReading != .witnessed {
      throw ValidationError("--desk and --fleet-reading require --fleet.")
    }
    if fleet.isGiven, name == nil {
      throw ValidationError("--desk NAME is required: the file of --fleet-seed is not named desk-NAME.nk.")
    }
  }

  /// The options as arguments. Paths are absolute: a service runs in another folder.
  package var arguments: [String] {
    guard fleet.isGiven else { return [] }
    return fleet.arguments + (desk.map { ["--desk", $0] } ?? []) + ["--fleet-reading", fleetReading.rawValue]
  }

  /// The desk's name; nil if no option states it.
  package var name: String? { desk ?? fleet.nameInSeedFile(after: "desk-") }
}

/// The arguments of `tessera fleet read`, which `tessera-fleet` receives unchanged.
package struct FleetReadOptions: ParsableArguments {
  package static let discussion = """
    Reads one document at this desk; an inspector of the fleet judges it. The command prints the inspector's report, \
    and after remote reading its verdict alone.

    If the inspector falls silent, the read begins again with another one. It has one record. When --within is over, \
    it ends, whatever it waits for.

    Exit status: as of `tessera passport read`: 0 no check failed, 3 no reader, no card, or no inspector, 4 the chip \
    refused the key, 5 a check failed, 6 the card was lost. After remote reading: 0 genuine, or nothing established \
    either way, 5 not genuine.

    Examples:
      tessera fleet read --fleet nats://127.0.0.1:4222 --fleet-seed desk-d1.nk
      tessera fleet read --fleet tls://nats.example.org --fleet-ca ca.pem \\
        --fleet-seed desk-d1.nk --fleet-reading remote --mrz mrz.txt --json
    """

  package init() {}

  @OptionGroup(title: "Fleet") package var desk: DeskOptions
  @OptionGroup(title: "Reader") package var card: CardOptions
  @OptionGroup(title: "Access key") package var key: KeyOptions

  @Option(
    help: ArgumentHelp(
      "The longest time from the card to the verdict, with all repetitions.", valueName: "seconds"))
  package var within = 60

  @Flag(help: "Print one JSON object.")
  package var json = false

  package func validate() throws {
    try desk.fleet.requireServers()
    guard (1...3600).contains(within) else { throw ValidationError("--within must be 1 to 3600 seconds.") }
  }
}
