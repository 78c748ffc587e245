import FoundationEssentials
import Glibc

/// A command that requires root, as a part of a shell command line.
package enum RootCommand: Sendable, Hashable {
  case run(String)
  /// Its failure does not stop the line.
  case attempt(String)
  /// Needs no root.
  case unprivileged(String)
  /// Installs packages of the distribution.
  case install([String])
  /// Writes the output of an unprivileged command to a file.
  case write(String, to: String)

  /// How this user gains root privileges.
  package enum Elevation: String, Sendable {
    case isRoot = "root"
    case sudo
    /// su(1) prompts for root's password once per line.
    case su
    /// pkexec(1) prompts in a window of the desktop once per line.
    case pkexec
  }

  package static let elevation: Elevation = {
    if Account.isRoot { return .isRoot }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { access("\($0)/sudo", X_OK) == 0 } ? .sudo : .su
  }()

  /// How `tessera setup` gains root privileges: without sudo by a dialogue if there is a desktop, since fewer users
  /// know root's password than have the right to administer the machine.
  package static let setupElevation: Elevation = {
    guard elevation == .su, access("/usr/bin/pkexec", X_OK) == 0 else { return elevation }
    let environment = ProcessInfo.processInfo.environment
    let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !environment[$0, default: ""].isEmpty }
    return hasDesktop ? .pkexec : .su
  }()

  /// A command line that runs the commands in order until one fails.
  package static func line(_ commands: [RootCommand], _ elevation: Elevation = elevation) -> String {
    let line = commands.map { $0.text(elevation == .sudo ? "sudo " : "") }.joined(separator: " && ")
    return switch elevation {
    case .isRoot, .sudo: line
    // A login shell: the PATH of other users may lack /usr/sbin.
    case .su: "su - -c \(Shell.word(line))"
    case .pkexec: "pkexec /bin/sh -c \(Shell.word(line))"
    }
  }

  private func text(_ prefix: String) -> String {
    switch self {
    case .run(let command): prefix + command
    // Not a subshell, which would have no trap for signals.
    case .attempt(let command): "{ \(prefix)\(command) || true; }"
    case .unprivileged(let command): command
    case .install(let packages): "\(prefix)apt-get install -y \(packages.joined(separator: " "))"
    case .write(let source, let path): "\(source) | \(prefix)tee \(path) > /dev/null"
    }
  }
}

/// Quotes words for a shell command line.
enum Shell {
  /// The text as one word of a POSIX shell. Quotes it if necessary.
  static func word(_ text: String) -> String {
    let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,".utf8)
    if !text.isEmpty, text.utf8.allSatisfy(plain.contains) { return text }
    return "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}
