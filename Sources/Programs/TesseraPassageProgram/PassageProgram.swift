import ArgumentParser
import Glibc
import TesseraCore
import TesseraThreads

/// Passage as a process of its own. It links no module of a device.
@main
struct PassageProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera-passage",
    abstract: "Shows a third party's site that a server drives, in a sandbox.",
    discussion: """
      The program runs in a sandbox (bubblewrap) that has the display and the network, and none of this user's files, \
      keys, devices and other programs. Cookies and storage are in $XDG_DATA_HOME/tessera/passage. Root's are in \
      /var/lib/tessera-passage, and root's sandbox has an identity that owns nothing else.

      Example:
        tessera-passage open --ui-url https://ui.example \\
          --api-url https://api.example < token.txt
        tessera-passage log
      """,
    version: "tessera-passage \(TesseraVersion.current)",
    subcommands: [OpenCommand.self, LogCommand.self, ClearCommand.self, SandboxCommand.self, SessionCommand.self])

  /// A plain `main`: the main thread belongs to GTK, which also serves Swift's main actor.
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    StandardStreams.open()
    do {
      var command = try parseAsRoot()
      try command.run()
      ProgramOutput.exit(0)
    } catch let failure as Failure {
      ProgramOutput.exit(ProgramOutput.report(failure))
    } catch let code as ExitCode {
      ProgramOutput.exit(code.rawValue)
    } catch {
      guard exitCode(for: error) == .success else {
        ProgramOutput.note(message(for: error))
        ProgramOutput.exit(ProgramOutput.status(of: .usage))
      }
      exit(withError: error)
    }
  }
}
