import ArgumentParser
import Dispatch
import Glibc
import TesseraCommandLine
import TesseraCore
import TesseraThreads
import TesseraWindow

/// A command that shows a window. GTK has the main thread while it runs.
protocol WindowCommand: ParsableCommand {
  /// - Returns: the exit status.
  func show() -> Int32
}

/// Shows web content and flows in windows, and has what belongs to them. `tessera` starts it.
@main
struct WindowProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingProgram.calledName("tessera-window"),
    abstract: "Shows web content and onboarding flows in windows.", version: "tessera-window \(TesseraVersion.current)",
    subcommands: [
      OpenCommand.self, KioskCommand.self, FlowCommand.self, StringsCommand.self, AskPermissionCommand.self,
    ], defaultSubcommand: OpenCommand.self)

  /// A plain `main`: the main thread belongs to GTK, which also serves Swift's main actor.
  static func main() {
    // As `tessera` does: both libraries write to standard error otherwise. Safe before threads start.
    setenv("TSS2_LOG", "all+NONE", 0)
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    // Libraries for TLS write the keys of all connections to the file that it names, and child processes inherit it.
    unsetenv("SSLKEYLOGFILE")
    WebSandbox.leaveSnap()
    DesktopPortal.avoid()
    TaskExecutorThreads.install()
    do {
      if let command = try parseAsRoot() as? any WindowCommand {
        signal(SIGPIPE, SIG_IGN)
        ProcessExit.now(command.show())
      }
    } catch {
      if exitCode(for: error) != .success, !hasOtherCommand {
        let output = ResultOutput(isJSON: CommandLine.arguments.contains("--json"))
        ProcessExit.now(output.showUsage(CommandProgram.wrongUse(error, Self.self)))
      }
    }
    // The other commands, and help, need no display.
    Task { await CommandProgram.run(Self.self) }
    dispatchMain()
  }

  /// Whether the arguments name a command without a window.
  private static var hasOtherCommand: Bool {
    let words = CommandLine.arguments.dropFirst().prefix(2)
    return [SiblingCommand.strings.name, CommandProgram.completionRequest].contains(words.first)
      || Array(words) == [SiblingCommand.flow.name, "check"]
  }
}
