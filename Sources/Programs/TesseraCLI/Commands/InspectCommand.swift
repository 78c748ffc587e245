import ArgumentParser
import TesseraCommandLine

/// Starts `tessera-fleet`, so that this program does not need libnats.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Judges the documents that the desks of a fleet read.",
    discussion: InspectOptions.discussion)

  @OptionGroup var options: InspectOptions

  func run() throws { try ProgramStart.fleet.replaceProcess() }
}
