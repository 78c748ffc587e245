import ArgumentParser
import TesseraCommandLine
import TesseraCore

/// Desks and inspectors of a fleet. `tessera inspect`, `tessera fleet` and the option `--fleet` start it.
@main
struct FleetProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingProgram.calledName("tessera-fleet"),
    abstract: "Desks whose documents are judged elsewhere, and the inspectors that do it.",
    version: "tessera-fleet \(TesseraVersion.current)",
    subcommands: [InspectCommand.self, FleetCommand.self, ServeCommand.self, TrustCommand.self])

  static func main() async { await CommandProgram.run(Self.self) }
}
