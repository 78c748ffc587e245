import FoundationEssentials
import Glibc
import TesseraDurableFiles
import TesseraEncryptedStorage
import TesseraKeys

/// Checks that a folder with secrets belongs to this user and that other users have no access.
struct OwnFolderCheck: DiagnosticCheck {
  let title: String
  /// The prefix of its findings' identifiers.
  let kind: String
  let folder: String
  /// A further fact, appended to the sentence of the finding `ok`.
  var fact: @Sendable () async -> String = { "" }

  /// The number of entries that are checked at most.
  private static let largest = 10_000

  /// Opens no file.
  static var keys: Self { Self(title: "Key files", kind: "keys", folder: KeyStores.defaultPath) }

  /// Whoever can change the store decides which documents are genuine.
  static var trust: Self {
    Self(title: "Country certificates", kind: "trust", folder: UserFolders.data + "/trust")
  }

  static var storage: Self {
    Self(title: "Secrets and documents", kind: "storage", folder: EncryptedStore.defaultPath) {
      do {
        switch try await EncryptedStore().protection() {
        case .secretService: return "; its encryption key is in the keyring"
        case .keyFile:
          return "; its encryption key is in the same folder, so anyone who can read the folder can decrypt it"
        case nil: return ""
        }
      } catch {
        return "; the location of its encryption key cannot be determined"
      }
    }
  }

  func findings() async -> [Finding] {
    guard let status = Self.status(folder) else {
      guard errno == ENOENT || errno == ENOTDIR else {
        return [
          problem(
            "\(kind).access", "This user cannot access \(folder).",
            remedy: "Correct the permissions of its parent folders, or set XDG_DATA_HOME to another folder.",
            command: "namei --long \(Shell.word(folder))")
        ]
      }
      return [information("\(kind).none", "The folder does not exist yet.")]
    }
    var statuses = [status]
    statuses += Self.statuses(in: folder)
    guard statuses.allSatisfy({ $0.st_uid == Account.identifier }) else {
      let chown = Correction.root([.run("chown -R \(Self.owner) \(Shell.word(folder))")])
      return [
        problem(
          "\(kind).owner", "Files in \(folder) belong to another user.", remedy: "Change their owner to this user.",
          command: chown.line,
          // root's ownership would lock out the user whose folder it is.
          correction: Account.isRoot ? nil : chown)
      ]
    }
    guard statuses.allSatisfy({ $0.st_mode & 0o077 == 0 || $0.st_mode & S_IFMT == S_IFLNK }) else {
      let chmod = "chmod -R go= \(Shell.word(folder))"
      return [
        problem(
          "\(kind).open", "Other users can access \(folder).", remedy: "Remove their permissions.",
          // Here everything belongs to this user, whoever called root.
          correction: Account.isRoot ? .root([.run(chmod)]) : .user(chmod))
      ]
    }
    return [ok(kind, "Only this user can access \(folder)\(await fact()).")]
  }

  private static var owner: String { Shell.word(Account.name) }

  /// The statuses of all entries below a folder, `largest` at most. Does not follow links.
  private static func statuses(in folder: String) -> [stat] {
    var statuses: [stat] = []
    var folders = [folder]
    while let folder = folders.popLast() {
      for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        guard statuses.count < largest else { return statuses }
        guard let status = status("\(folder)/\(entry)") else { continue }
        statuses.append(status)
        if status.st_mode & S_IFMT == S_IFDIR { folders.append("\(folder)/\(entry)") }
      }
    }
    return statuses
  }

  /// The status of the entry itself, even if it is a link.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
