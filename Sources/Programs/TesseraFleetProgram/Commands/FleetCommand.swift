import ArgumentParser
import TesseraCommandLine
import TesseraFleet

struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.fleet.name, abstract: SiblingCommand.fleet.abstract,
    discussion: """
      Example, without hardware and on one machine:
        tessera fleet configure --desks 2 --inspectors 2 --out fleet
      """,
    subcommands: [Configure.self, Prepare.self, Status.self, Read.self])
}

extension FleetCommand {
  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Shows the inspectors, the record and the certificates.", discussion: FleetStatusOptions.discussion)

    @OptionGroup var options: FleetStatusOptions

    func run() async throws {
      try await Interruption.cancelling {
        try await options.fleet.withAdministrator { connection in
          if options.json { return try StandardOutput.write(try await FleetStatus.gather(connection).json.text) }
          guard StatusScreen.isPossible, !options.once else {
            return try StandardOutput.write(try await FleetStatus.gather(connection).text())
          }
          try await StatusScreen.follow { try await FleetStatus.gather(connection) }
        }
      }
    }
  }
}
