import ArgumentParser
import TesseraCommandLine

struct FlowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.flow.name, abstract: SiblingCommand.flow.abstract,
    discussion: """
      A flow is a set of screens that share variables. Its document is a file or comes from a server.

      Examples:
        tessera flow run --virtual
        tessera flow check welcome.json
      """,
    subcommands: [Run.self, FlowCheckCommand.self])

  struct Run: ParsableCommand, WindowCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Shows a flow in a window and prints the answers.", discussion: FlowOptions.discussion)

    @OptionGroup var options: FlowOptions

    func show() -> Int32 { FlowShowing(options: options).run() }
  }
}
