import ArgumentParser

struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Sets up, watches and uses a fleet.",
    subcommands: [Configure.self, Prepare.self, Status.self, Read.self])
}
