import FoundationEssentials

/// Tessera's udev rules, embedded in the program.
package enum RuleFile: String, CaseIterable, Sendable {
  case haptics
  case nfc

  /// The file name. Its number determines the order among the system's rules.
  package var fileName: String {
    switch self {
    case .haptics: "70-tessera-haptics.rules"
    case .nfc: "70-tessera-nfc.rules"
    }
  }

  /// What the rules are for.
  var devices: String {
    switch self {
    case .haptics: "gamepads and other devices with force feedback"
    case .nfc: "readers that libnfc drives"
    }
  }

  /// The content of the file in the repository's folder `udev`.
  package var contents: [UInt8] {
    switch self {
    case .haptics: PackageResources._0_tessera_haptics_rules
    case .nfc: PackageResources._0_tessera_nfc_rules
    }
  }

  /// The kernel subsystem of the rules.
  var subsystem: String {
    switch self {
    case .haptics: "input"
    case .nfc: "usb"
    }
  }

  enum State: Equatable {
    case missing
    case installed(path: String)
    /// A file of that name has other content.
    case different(path: String)
  }

  /// In the order of precedence (udev(7)).
  private static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/udev/rules.d" }

  var state: State {
    for folder in Self.folders {
      let path = "\(folder)/\(fileName)"
      guard let installed = FileManager.default.contents(atPath: path) else { continue }
      return installed.elementsEqual(contents) ? .installed(path: path) : .different(path: path)
    }
    return .missing
  }

  /// The commands that install the rules and apply them to connected devices.
  var installation: [RootCommand] {
    [.write("\(Shell.word(Self.program)) doctor --rules \(rawValue)", to: "/etc/udev/rules.d/\(fileName)")]
      + application
  }

  /// The commands that apply installed rules to connected devices.
  var application: [RootCommand] {
    [
      .run("udevadm control --reload"), .run("udevadm trigger --subsystem-match=\(subsystem)"),
      .run("udevadm settle"),
    ]
  }

  /// The path of this program.
  static var program: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "tessera"
  }
}

extension StringProtocol {
  /// The text without leading and trailing characters that match.
  func trimming(while matches: (Character) -> Bool) -> SubSequence {
    guard let start = firstIndex(where: { !matches($0) }), let end = lastIndex(where: { !matches($0) }) else {
      return self[endIndex...]
    }
    return self[start...end]
  }
}
