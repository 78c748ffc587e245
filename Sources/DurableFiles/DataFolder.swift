import Foundation

/// Where the user's own data of Tessera are.
public enum DataFolder {
  /// `$XDG_DATA_HOME/tessera` (XDG Base Directory Specification).
  public static var path: String {
    let environment = ProcessInfo.processInfo.environment
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/tessera" }
    return NSHomeDirectory() + "/.local/share/tessera"
  }
}
