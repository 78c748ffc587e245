import FoundationEssentials

/// The command that opens the place where this desktop enrols fingers.
package enum EnrolCommand {
  package static var current: String { text(ProcessInfo.processInfo.environment) }

  /// - Parameter environment: `XDG_CURRENT_DESKTOP` lists the names of the desktop, separated by colons (Desktop Entry
  ///   Specification, `OnlyShowIn`).
  package static func text(_ environment: [String: String]) -> String {
    let names = environment["XDG_CURRENT_DESKTOP", default: ""].split(separator: ":").map { $0.lowercased() }
    if names.contains("gnome") { return "gnome-control-center user-accounts" }
    if names.contains("kde") { return "systemsettings kcm_users" }
    return "fprintd-enroll"
  }
}
