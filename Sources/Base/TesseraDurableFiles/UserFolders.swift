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

  /// The name of a program's own folder within one of these: its letters, digits, `-` and `_` of ASCII, at most 64.
  ///
  /// - Parameter standard: the name if nothing is left.
  package static func programFolder(_ name: String, standard: String) -> String {
    let name = String(decoding: name.utf8.filter(isNameByte).prefix(64), as: UTF8.self)
    return name.isEmpty ? standard : name
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
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
