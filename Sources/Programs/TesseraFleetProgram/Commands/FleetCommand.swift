import ArgumentParser
import TesseraCommandLine

struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.fleet.name, abstract: SiblingCommand.fleet.abstract,
    discussion: """
      Example, without hardware and on one machine:
        tessera fleet configure --desks 2 --inspectors 2 --out fleet
      """,
    subcommands: [Configure.self, Prepare.self, Status.self, Read.self])
}
