package import ArgumentParser

/// The arguments of `tessera fleet read`, which `tessera-fleet` receives unchanged.
package struct FleetReadOptions: ParsableArguments {
  package static let discussion = """
    Reads one document at this desk; an inspector of the fleet judges it. The command prints the inspector's report, and
    after remote reading its verdict alone.

    If the inspector falls silent, the read begins again with another one. It has one record. When --within is over, it
    ends, whatever it waits for.

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
