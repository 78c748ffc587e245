import ArgumentParser
import TesseraCommandLine

/// Starts `tessera-fleet`, so that this program does not need libnats.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Sets up, watches and uses a fleet: desks whose documents are judged elsewhere.",
    discussion: """
      Example, without hardware and on one machine:
        tessera fleet configure --desks 2 --inspectors 2 --out fleet
      """,
    subcommands: [Configure.self, Prepare.self, Status.self, Read.self])

  struct Configure: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "configure",
      abstract: "Writes the configuration of the servers, and the seeds.", discussion: FleetConfigureOptions.discussion)

    @OptionGroup var options: FleetConfigureOptions

    func run() throws { try ProgramStart.fleet.replaceProcess() }
  }

  struct Prepare: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prepare",
      abstract: "Creates the record and the store of certificates on the servers.",
      discussion: FleetPrepareOptions.discussion)

    @OptionGroup var options: FleetPrepareOptions

    func run() throws { try ProgramStart.fleet.replaceProcess() }
  }

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Shows the inspectors, the record and the certificates.", discussion: FleetStatusOptions.discussion)

    @OptionGroup var options: FleetStatusOptions

    func run() throws { try ProgramStart.fleet.replaceProcess() }
  }

  struct Read: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "read",
      abstract: "Reads one document at this desk, for an inspector elsewhere.", discussion: FleetReadOptions.discussion)

    @OptionGroup var options: FleetReadOptions

    func run() throws { try ProgramStart.fleet.replaceProcess() }
  }
}
