import ArgumentParser
import TesseraCommandLine

struct FlowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flow", abstract: "Shows and checks onboarding flows.",
    discussion: """
      A flow is a set of screens that share variables. Its document is a file or comes from a server.

      Examples:
        tessera flow run --virtual
        tessera flow check welcome.json
      """,
    subcommands: [Run.self, FlowCheckCommand.self])

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Shows a flow in a window and prints the answers.", discussion: FlowOptions.discussion)

    @OptionGroup var options: FlowOptions

    func run() throws {
      try ProgramStart.window.replaceProcess(
        arguments: Array(CommandLine.arguments.drop { $0 != FlowCommand.configuration.commandName }))
    }
  }
}
