import ArgumentParser
import TesseraCommandLine
import TesseraCore

/// The bridge as a service, its units, and its requests from a shell. `tessera` starts it.
@main
struct ServiceMain: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingProgram.calledName("tessera-service"),
    abstract: "Serves devices to this user's programs and to web pages.",
    version: "tessera-service \(TesseraVersion.current)",
    subcommands: [ServeCommand.self, ServiceCommand.self, CallCommand.self])

  static func main() async { await CommandProgram.run(Self.self) }
}
