import FoundationEssentials
import Glibc

/// Finds another program of this package.
package enum ProgramFile {
  /// The paths at which the program is installed. The folder of the running program comes first, since both come from
  /// one build; then those of `PATH`.
  package static func paths(of program: String) -> [String] {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = URL(fileURLWithPath: own).deletingLastPathComponent().path
    let search = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
    return ([folder] + search).filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }.filter { access($0, X_OK) == 0 }
  }
}
