import ArgumentParser

struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Sets up, watches and uses a fleet.",
    discussion: """
      Example, without hardware and on one machine:
        tessera fleet configure --desks 2 --inspectors 2 --out fleet
      """,
    subcommands: [Configure.self, Prepare.self, Status.self, Read.self])
}
