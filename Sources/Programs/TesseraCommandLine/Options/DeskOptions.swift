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

  /// The desk's name; nil if no option states it.
  package var name: String? { desk ?? fleet.nameInSeedFile(after: "desk-") }
}
