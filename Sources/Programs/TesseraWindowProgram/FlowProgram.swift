import ArgumentParser
import TesseraCommandLine

/// Shows an onboarding flow. `tessera flow run` starts it.
struct FlowProgram: ParsableCommand {
  static let name = "flow"
  static let configuration = CommandConfiguration(
    commandName: "tessera-window flow", abstract: "Shows onboarding flows.", subcommands: [Run.self])

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Shows a flow in a window and prints the answers.", discussion: FlowOptions.discussion)

    @OptionGroup var options: FlowOptions
  }
}
