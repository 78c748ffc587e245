import Foundation
import KeyStores

/// The folder of the key files: whether it is this user's own, and nobody else can look into it. No file is opened.
struct KeyFolderExamination: Examination {
  let title = "Key files"
  /// More than this many entries are not looked at.
  private static let largest = 10_000

  func findings() async -> [Finding] {
    let folder = KeyStores.defaultPath
    guard let status = Self.status(folder) else {
      guard errno == ENOENT || errno == ENOTDIR else {
        return [
          problem(
            "keys.access", "This user may not look at \(folder).",
            remedy: "Give the folders above it back to the user, or name others in XDG_DATA_HOME.",
            command: "namei --long \(Shell.word(folder))")
        ]
      }
      return [information("keys.none", "There are none yet.")]
    }
    var statuses = [status]
    if let entries = FileManager.default.enumerator(atPath: folder) {
      for case let entry as String in entries.prefix(Self.largest) {
        if let status = Self.status(folder + "/" + entry) { statuses.append(status) }
      }
    }
    guard statuses.allSatisfy({ $0.st_uid == Account.identifier }) else {
      return [
        problem(
          "keys.owner", "Files in \(folder) belong to another user.", remedy: "Give them back to this one.",
          command: "sudo chown -R \(Self.owner) \(Shell.word(folder))")
      ]
    }
    guard statuses.allSatisfy({ $0.st_mode & 0o077 == 0 || $0.st_mode & S_IFMT == S_IFLNK }) else {
      return [
        problem(
          "keys.open", "Other users may look into \(folder).", remedy: "Take their permissions away.",
          command: "chmod -R go= \(Shell.word(folder))")
      ]
    }
    return [ok("keys", "\(folder) is this user's alone.")]
  }

  private static var owner: String { Shell.word(Account.name) }

  /// Of the entry itself, also where it is a link.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
