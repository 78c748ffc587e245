import ArgumentParser
import TesseraCommandLine

/// Starts `tessera-window`, so that this program needs neither GTK nor WebKitGTK.
struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Opens a window with web content and prints its result.",
    discussion: OpenOptions.discussion)

  @OptionGroup var options: OpenOptions

  /// Everything after the name of the command.
  func run() throws {
    try ProgramStart.window.replaceProcess(
      arguments: Array(CommandLine.arguments.drop { $0 != Self.configuration.commandName }.dropFirst()))
  }
}
