import Foundation

/// Something that only root may do, as a part of a line for a shell.
enum RootCommand {
  case run(String)
  /// Writes what another command prints, which needs no rights, into a file.
  case write(String, to: String)

  /// How this user can become root.
  enum Way {
    case isRoot
    case sudo
    /// By root's password, asked for once a line.
    case su
  }

  static let way: Way = {
    if Account.isRoot { return .isRoot }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { access("\($0)/sudo", X_OK) == 0 } ? .sudo : .su
  }()

  /// One after another, as long as nothing fails.
  static func line(_ commands: [RootCommand], _ way: Way = way) -> String {
    let line = commands.map { $0.text(way == .sudo ? "sudo " : "") }.joined(separator: " && ")
    // Root's own environment: the programs in /usr/sbin are not found by everybody's.
    return way == .su ? "su - -c \(Shell.word(line))" : line
  }

  private func text(_ prefix: String) -> String {
    switch self {
    case .run(let command): prefix + command
    case .write(let source, let path): "\(source) | \(prefix)tee \(path) > /dev/null"
    }
  }
}
