public import TesseraCore
public import TesseraCryptography

/// An error of the encrypted store. No case contains the name, the value or the owner of an entry.
public enum StorageError: Error, Sendable, Equatable {
  /// The name or the origin is longer than `EntryName.longest`.
  case badName
  /// The value exceeds the limit, in bytes.
  case tooLarge(limit: Int)
  /// The owner reached its quota of entries or bytes.
  case full(StorageLimits)
  /// The file of an entry is damaged; the text is the reason. The file stays in place.
  case damaged(file: String, String)
  /// The format version of a file is not supported.
  case unknownVersion(file: String, Int)
  /// The file of the master key is damaged; the text names the part.
  case masterKeyDamaged(path: String, String)
  /// There are entries, but the file of their master key is missing.
  case masterKeyMissing(path: String)
  /// The master key is in the keyring, which is unavailable in this session.
  case noKeyring
  /// The keyring does not contain the master key of this store.
  case keyringLost(path: String)
  /// Other users can create files in the folder.
  case openToOthers(path: String)
  /// Another process deleted or replaced the store during the operation.
  case changedConcurrently
}

extension StorageError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .badName:
      Failure(
        .usage, "The name of the entry, or of the web origin, is too long.",
        remedy: "Use at most \(EntryName.longest) bytes.")
    case .tooLarge(let limit):
      Failure(.usage, "The value is too large.", remedy: "Store at most \(limit) bytes under one name.")
    case .full(let limits):
      Failure(
        .storageFull, "The storage quota is exhausted.",
        remedy:
          "Remove entries: the quota is \(limits.entriesPerOwner) entries and \(limits.bytesPerOwner) bytes.")
    case .damaged(let file, let reason):
      Failure(
        .storageFailed, "The file \(file) of the encrypted store is damaged: \(reason).",
        remedy: "Restore it from a backup, or remove the entry.")
    case .unknownVersion(let file, let version):
      Failure(
        .storageFailed, "The file \(file) of the encrypted store has the unsupported version \(version).",
        remedy: "Use the version of Tessera that created it.")
    case .masterKeyDamaged(let path, let part):
      Failure(
        .storageFailed, "The file \(path) is damaged: \(part).",
        remedy: "Restore it from a backup. Without it the entries are lost.")
    case .masterKeyMissing(let path):
      Failure(
        .storageFailed, "The encrypted store has entries, but the file \(path) of its key is missing.",
        remedy: "Restore it from a backup, or delete the folder. Without the file the entries are lost.")
    case .noKeyring:
      Failure(
        .storageUnavailable, "The encrypted store is protected by the keyring, and this session has no keyring.",
        remedy: "Run the program in the desktop session in which the store was created.")
    case .keyringLost(let path):
      Failure(
        .storageFailed, "The keyring no longer contains the key of the encrypted store.",
        remedy: "Restore the keyring, or delete \(path). Without the key the entries are lost.")
    case .openToOthers(let path):
      Failure(
        .storageUnavailable, "Other users can change the folder \(path).",
        remedy: "Make sure that you own it, and run: chmod 700 '\(path)'")
    case .changedConcurrently:
      Failure(.storageFailed, "The encrypted store was replaced during this operation.", remedy: "Try again.")
    }
  }
}
