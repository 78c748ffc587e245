import FoundationEssentials
import Glibc
import Tessera

/// Starts `tessera-window`, so that this program needs neither GTK nor WebKitGTK.
enum WindowProgramStart {
  /// The process goes on as `tessera-window`.
  ///
  /// - Throws: `Failure` if that program is not installed.
  static func replaceProcess(arguments: [String]) throws -> Never {
    for path in candidates where access(path, X_OK) == 0 {
      var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
      pointers.append(nil)
      execv(path, pointers)
    }
    throw Failure(
      .serviceUnavailable, "The program \(program) is not installed.",
      remedy: "Install libwebkitgtk-6.0-dev, then run: swift build -c release --product \(program)")
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
