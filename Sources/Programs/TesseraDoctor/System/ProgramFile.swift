import FoundationEssentials
import Glibc

/// Finds another program of this package.
package enum ProgramFile {
  /// The path of the running program; nil without /proc.
  package static var running: String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }

  /// How to install the Debian package of another program of Tessera, if the running one comes from such a package. Nil in a
  /// clone.
  package static func packageInstallation(of package: String) -> (remedy: String, command: String)? {
    guard running?.hasPrefix("/usr/bin/tessera") == true else { return nil }
    return ("Install the package \(package) of the same version.", "sudo apt install ./\(package)_*.deb")
  }

  /// The paths at which the program is installed. The folder of the running program comes first, since both come from
  /// one build; then those of `PATH`.
  package static func paths(of program: String) -> [String] {
    let folder = URL(fileURLWithPath: running ?? "").deletingLastPathComponent().path
    let search = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
    return ([folder] + search).filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }.filter { access($0, X_OK) == 0 }
  }
}
