import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine

@main
struct TesseraCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera",
    abstract: "Reads electronic passports, signs, and serves devices to web content.",
    discussion: """
      Without arguments, on a terminal, it looks at the devices of this machine and
      names the command to begin with.

      Example without hardware:
        tessera demo

      Read a passport; this asks for what is printed in it:
        tessera passport read

      Complete commands with Tab, in bash:
        source <(tessera --generate-completion-script bash)
      """,
    version: "tessera \(TesseraVersion.current)",
    subcommands: [
      DemoCommand.self, ReadersCommand.self, PassportCommand.self, MRZCommand.self, SealCommand.self, TrustCommand.self,
      ChipCommand.self, KeyCommand.self, HapticCommand.self, StorageCommand.self, StringsCommand.self, CallCommand.self,
      ServeCommand.self,
      ServiceCommand.self, OpenCommand.self, KioskCommand.self, FlowCommand.self, InspectCommand.self,
      FleetCommand.self,
      GrantsCommand.self, DoctorCommand.self, SetupCommand.self,
    ])

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Not an option of this command: its subcommands would not see theirs of that name.
    if OverviewCommand.isMeant(arguments) { await CommandProgram.run(OverviewCommand.self) }
    do {
      try OtherPrograms.start(arguments, known: configuration.subcommands.compactMap { $0.configuration.commandName })
      if let completions = Completions(arguments) {
        try StandardOutput.write(completions.script)
        ProcessExit.now(EXIT_SUCCESS)
      }
    } catch {
      ProcessExit.now(ErrorOutput.report(error, asJSON: arguments.contains("--json")))
    }
    await CommandProgram.run(Self.self)
  }
}
