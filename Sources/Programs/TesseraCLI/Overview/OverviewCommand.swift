import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine

/// `tessera` without a command: what is connected, and what to type next.
struct OverviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera", abstract: "Looks at the devices of this machine, and names the command to begin with.")

  @Flag(help: "Print one JSON object.") var json = false

  /// Without a terminal nobody looks: `tessera` then prints its help, as it does with `--help`.
  static func isMeant(_ arguments: some Collection<String>) -> Bool {
    arguments.isEmpty ? isatty(STDOUT_FILENO) == 1 : Array(arguments) == ["--json"]
  }

  func run() async throws {
    let overview = try await Interruption.cancelling {
      let overview = await Overview.now()
      try Task.checkCancellation()
      return overview
    }
    if json { return try StandardOutput.write(overview.object.text) }
    let next = overview.next
    try StandardOutput.write(
      """
      \(FindingOutput.causes(overview.findings))

      \(next.reason)
        \(Terminal.styled(next.command, .bold))

      `tessera --help` lists all commands.
      """)
  }
}
