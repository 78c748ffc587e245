import Foundation

/// The project's udev rules, which the program carries with it so that it can install them anywhere.
public enum RuleFile: String, CaseIterable, Sendable {
  case haptics
  case nfc

  /// The name that the file has to have; the number orders it among the system's rules.
  public var fileName: String {
    switch self {
    case .haptics: "70-tessera-haptics.rules"
    case .nfc: "70-tessera-nfc.rules"
    }
  }

  /// The file as it lies in the project's folder `udev`.
  public var contents: [UInt8] {
    switch self {
    case .haptics: PackageResources._0_tessera_haptics_rules
    case .nfc: PackageResources._0_tessera_nfc_rules
    }
  }

  /// The kernel's subsystem that the rules are for.
  var subsystem: String {
    switch self {
    case .haptics: "input"
    case .nfc: "usb"
    }
  }

  enum State: Equatable {
    case missing
    case installed(path: String)
    /// There is a file of the name, with other rules.
    case different(path: String)
  }

  /// In the order in which udevd prefers them (udev(7)).
  private static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/udev/rules.d" }

  var state: State {
    for folder in Self.folders {
      let path = "\(folder)/\(fileName)"
      guard let installed = FileManager.default.contents(atPath: path) else { continue }
      return installed.elementsEqual(contents) ? .installed(path: path) : .different(path: path)
    }
    return .missing
  }

  /// Installs the rules and applies them to what is plugged in.
  var installation: String {
    RootCommand.line(
      [.write("\(Shell.word(Self.program)) doctor --rules \(rawValue)", to: "/etc/udev/rules.d/\(fileName)")]
        + application)
  }

  /// Applies installed rules to what is plugged in.
  var application: [RootCommand] {
    [
      .run("udevadm control --reload"), .run("udevadm trigger --subsystem-match=\(subsystem)"),
      .run("udevadm settle"),
    ]
  }

  /// The program that runs, wherever it lies.
  private static var program: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "tessera"
  }
}
