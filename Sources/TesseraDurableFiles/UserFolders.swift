import FoundationEssentials
import Glibc

/// The folders of the user (XDG Base Directory Specification).
package enum UserFolders {
  /// The data folder of Tessera: `$XDG_DATA_HOME/tessera`.
  package static var data: String { data(ProcessInfo.processInfo.environment) }

  package static func data(_ environment: [String: String]) -> String {
    base(environment, "XDG_DATA_HOME", ".local/share") + "/tessera"
  }

  /// The folder of what programs remember of their earlier runs: `$XDG_STATE_HOME`.
  package static func state(_ environment: [String: String]) -> String {
    base(environment, "XDG_STATE_HOME", ".local/state")
  }

  /// The configuration folder of all programs: `$XDG_CONFIG_HOME`.
  package static func settings(_ environment: [String: String]) -> String {
    base(environment, "XDG_CONFIG_HOME", ".config")
  }

  /// The cache folder of all programs: `$XDG_CACHE_HOME`.
  package static func cache(_ environment: [String: String]) -> String {
    base(environment, "XDG_CACHE_HOME", ".cache")
  }

  /// The specification requires to ignore relative paths.
  private static func base(_ environment: [String: String], _ variable: String, _ standard: String) -> String {
    if let path = environment[variable], path.hasPrefix("/") { return path }
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/\(standard)" }
    return "\(registeredHome)/\(standard)"
  }

  /// The home folder in the user database.
  private static var registeredHome: String {
    var entry = passwd()
    var buffer = [CChar](repeating: 0, count: 16_384)
    var found: UnsafeMutablePointer<passwd>?
    guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let folder = entry.pw_dir
    else { return "/" }
    return String(cString: folder)
  }
}
