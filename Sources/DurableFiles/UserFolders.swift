import Foundation

/// The user's own folders (XDG Base Directory Specification).
public enum UserFolders {
  /// Where data of Tessera are: `$XDG_DATA_HOME/tessera`.
  public static var data: String { data(ProcessInfo.processInfo.environment) }

  public static func data(_ environment: [String: String]) -> String {
    base(environment, "XDG_DATA_HOME", ".local/share") + "/tessera"
  }

  /// Where settings of all programs are: `$XDG_CONFIG_HOME`.
  public static func settings(_ environment: [String: String]) -> String {
    base(environment, "XDG_CONFIG_HOME", ".config")
  }

  /// Paths that are not absolute are to be ignored, says the specification.
  private static func base(_ environment: [String: String], _ variable: String, _ standard: String) -> String {
    if let path = environment[variable], path.hasPrefix("/") { return path }
    // Foundation's takes the one of the user's account, whatever the environment says.
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/\(standard)" }
    return "\(NSHomeDirectory())/\(standard)"
  }
}
