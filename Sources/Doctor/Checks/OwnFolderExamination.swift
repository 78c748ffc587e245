import EncryptedStorage
import Foundation
import KeyStores

/// A folder of secrets: whether it is this user's own, and nobody else can look into it.
struct OwnFolderExamination: Examination {
  let title: String
  /// What the identifiers of its findings begin with.
  let kind: String
  let folder: String
  /// What else is to be said of it, to be read after "is this user's alone".
  var fact: @Sendable () async -> String = { "" }

  /// More than this many entries are not looked at.
  private static let largest = 10_000

  /// No file is opened.
  static var keys: Self { Self(title: "Key files", kind: "keys", folder: KeyStores.defaultPath) }

  static var storage: Self {
    Self(title: "Secrets and documents", kind: "storage", folder: EncryptedStore.defaultPath) {
      do {
        switch try await EncryptedStore().protection() {
        case .secretService: return "; its key is in the keyring"
        case .keyFile: return "; its key is in a file in it, so that whoever reads the folder can read all of it"
        case nil: return ""
        }
      } catch {
        return "; where its key is cannot be told"
      }
    }
  }

  func findings() async -> [Finding] {
    guard let status = Self.status(folder) else {
      guard errno == ENOENT || errno == ENOTDIR else {
        return [
          problem(
            "\(kind).access", "This user may not look at \(folder).",
            remedy: "Give the folders above it back to the user, or name others in XDG_DATA_HOME.",
            command: "namei --long \(Shell.word(folder))")
        ]
      }
      return [information("\(kind).none", "There are none yet.")]
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
          "\(kind).owner", "Files in \(folder) belong to another user.", remedy: "Give them back to this one.",
          command: RootCommand.line([.run("chown -R \(Self.owner) \(Shell.word(folder))")]))
      ]
    }
    guard statuses.allSatisfy({ $0.st_mode & 0o077 == 0 || $0.st_mode & S_IFMT == S_IFLNK }) else {
      return [
        problem(
          "\(kind).open", "Other users may look into \(folder).", remedy: "Take their permissions away.",
          command: "chmod -R go= \(Shell.word(folder))")
      ]
    }
    return [ok(kind, "\(folder) is this user's alone\(await fact()).")]
  }

  private static var owner: String { Shell.word(Account.name) }

  /// Of the entry itself, also where it is a link.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
