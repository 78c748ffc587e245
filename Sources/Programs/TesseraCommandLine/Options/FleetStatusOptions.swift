package import ArgumentParser

/// The arguments of `tessera fleet status`, which `tessera-fleet` receives unchanged.
package struct FleetStatusOptions: ParsableArguments {
  package static let discussion = """
    Shows the inspectors, the record and the country certificates of the fleet: on a terminal each second until \
    Ctrl-C, else once. The administrator's seed is needed.

    Examples:
      tessera fleet status --fleet nats://127.0.0.1:4222 --fleet-seed admin.nk
      tessera fleet status --fleet tls://nats.example.org \\
        --fleet-seed admin.nk --json
    """

  package init() {}

  @OptionGroup(title: "Fleet") package var fleet: FleetOptions

  @Flag(help: "Show the status once, on a terminal too.")
  package var once = false

  @Flag(help: "Print one JSON object.")
  package var json = false

  package func validate() throws { try fleet.requireServers() }
}
