import FoundationEssentials
import Glibc

/// A command that requires root, as a part of a shell command line.
enum RootCommand {
  case run(String)
  /// Writes the output of an unprivileged command to a file.
  case write(String, to: String)

  /// How this user gains root privileges.
  enum Elevation {
    case isRoot
    case sudo
    /// su(1) prompts for root's password once per line.
    case su
  }

  static let elevation: Elevation = {
    if Account.isRoot { return .isRoot }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { access("\($0)/sudo", X_OK) == 0 } ? .sudo : .su
  }()

  /// A command line that runs the commands in order until one fails.
  static func line(_ commands: [RootCommand], _ elevation: Elevation = elevation) -> String {
    let line = commands.map { $0.text(elevation == .sudo ? "sudo " : "") }.joined(separator: " && ")
    // A login shell: the PATH of other users may lack /usr/sbin.
    return elevation == .su ? "su - -c \(Shell.word(line))" : line
  }

  private func text(_ prefix: String) -> String {
    switch self {
    case .run(let command): prefix + command
    case .write(let source, let path): "\(source) | \(prefix)tee \(path) > /dev/null"
    }
  }
}
