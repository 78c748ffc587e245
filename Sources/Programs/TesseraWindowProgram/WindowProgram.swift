import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import TesseraCommandLine
import TesseraCore
import TesseraThreads

/// Shows web content in a window and prints its result. `tessera open` starts it.
@main
struct WindowProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera-window", abstract: "Opens a window with web content and prints its result.",
    discussion: OpenOptions.discussion, version: "tessera-window \(TesseraVersion.current)")

  @OptionGroup var options: OpenOptions

  /// A plain `main`: the main thread belongs to GTK, which also serves Swift's main actor.
  static func main() {
    // As `tessera` does: both libraries write to standard error otherwise. Safe before threads start.
    setenv("TSS2_LOG", "all+NONE", 0)
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    // Libraries for TLS write the keys of all connections to the file that it names, and child processes inherit it.
    unsetenv("SSLKEYLOGFILE")
    signal(SIGPIPE, SIG_IGN)
    TaskExecutorThreads.install()
    if CommandLine.arguments.dropFirst().first == FlowProgram.name { showFlow() }
    do {
      let program = try parseAsRoot()
      guard let program = program as? WindowProgram else { return }
      ProcessExit.now(program.show())
    } catch {
      guard exitCode(for: error) == .success else {
        ProcessExit.now(
          ResultOutput(isJSON: CommandLine.arguments.contains("--json")).showUsage(fullMessage(for: error)))
      }
      exit(withError: error)
    }
  }

  /// An address has a colon, so this word cannot be one.
  private static func showFlow() -> Never {
    do {
      let program = try FlowProgram.parseAsRoot(Array(CommandLine.arguments.dropFirst(2)))
      guard let program = program as? FlowProgram.Run else { throw CleanExit.helpRequest(FlowProgram.self) }
      ProcessExit.now(FlowShowing(options: program.options).run())
    } catch {
      guard FlowProgram.exitCode(for: error) == .success else {
        ProcessExit.now(
          ResultOutput(isJSON: CommandLine.arguments.contains("--json"))
            .showUsage(FlowProgram.fullMessage(for: error)))
      }
      FlowProgram.exit(withError: error)
    }
  }

  private func show() -> Int32 {
    return Launching(options).run()
  }

}
