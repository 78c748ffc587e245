import ArgumentParser
import FoundationEssentials
import Glibc
import Tessera
import TesseraCommandLine

/// Starts `tessera-window`, so that this program needs neither GTK nor WebKitGTK.
struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Opens a window with web content and prints its result.",
    discussion: OpenOptions.discussion)

  @OptionGroup var options: OpenOptions

  func run() throws {
    // Everything after the name of the command.
    let arguments = CommandLine.arguments.drop { $0 != Self.configuration.commandName }.dropFirst()
    for path in Self.candidates where access(path, X_OK) == 0 {
      var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
      pointers.append(nil)
      execv(path, pointers)
    }
    throw Failure(
      .serviceUnavailable, "The program \(Self.program) is not installed.",
      remedy: "Install libwebkitgtk-6.0-dev, then run: swift build -c release --product \(Self.program)")
  }

  private static let program = "tessera-window"

  /// Beside this program first: both come from one build.
  private static var candidates: [String] {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = URL(fileURLWithPath: own).deletingLastPathComponent().path
    let search = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
    return ([folder] + search).filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }
}
