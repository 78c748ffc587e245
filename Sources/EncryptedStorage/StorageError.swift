public import Failures

/// Why the store could not do it. No case holds the name or the value of an entry, nor whose it is.
public enum StorageError: Error, Sendable, Equatable {
  /// A name or an origin longer than `EntryName.longest`.
  case badName
  /// A value longer than an entry may be, in bytes.
  case tooLarge(limit: Int)
  /// The owner has as many entries, or bytes, as an owner may have.
  case full(StorageLimits)
  /// The file of an entry cannot be read as one; the text says why. It is kept as it is.
  case damaged(file: String, String)
  /// A file of another version of the format.
  case unknownVersion(file: String, Int)
  /// The file that tells of the master key cannot be read as one; the text names the part.
  case masterKeyDamaged(path: String, String)
  /// There are entries, and the file that tells of their master key is gone.
  case masterKeyMissing(path: String)
  /// The master key is in a keyring, and there is no keyring in this session.
  case noKeyring
  /// The keyring holds no master key for this store, or another one: it was lost or begun anew.
  case keyringLost(path: String)
  /// Other users could put files into the folder.
  case openToOthers(path: String)
  /// The store was deleted, and perhaps made anew, in the same moment.
  case changedMeanwhile
}

extension StorageError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .badName:
      Failure(
        .usage, "The name of the entry, or of the web origin, is too long.",
        remedy: "Choose one of at most \(EntryName.longest) bytes.")
    case .tooLarge(let limit):
      Failure(.usage, "The value is too large to be stored.", remedy: "Store at most \(limit) bytes under one name.")
    case .full(let limits):
      Failure(
        .storageFull, "There is no room for more entries.",
        remedy:
          "Remove some: \(limits.entriesPerOwner) entries and \(limits.bytesPerOwner) bytes are what there is room for."
      )
    case .damaged(let file, let reason):
      Failure(
        .storageFailed, "The file \(file) of the encrypted store is damaged: \(reason).",
        remedy: "Restore it from a backup, or remove the entry.")
    case .unknownVersion(let file, let version):
      Failure(
        .storageFailed, "The file \(file) of the encrypted store is of version \(version), which is not known here.",
        remedy: "Use the version of Tessera that wrote it.")
    case .masterKeyDamaged(let path, let part):
      Failure(
        .storageFailed, "The file \(path) is damaged: \(part).",
        remedy: "Restore it from a backup; without it the entries of the store are lost.")
    case .masterKeyMissing(let path):
      Failure(
        .storageFailed, "The encrypted store has entries, and the file \(path) of its key is gone.",
        remedy: "Restore it from a backup, or delete the folder: without it the entries are lost.")
    case .noKeyring:
      Failure(
        .storageUnavailable, "The encrypted store is opened by the keyring, and there is none in this session.",
        remedy: "Run it in the session in which the store was made.")
    case .keyringLost(let path):
      Failure(
        .storageFailed, "The keyring does not hold the key of the encrypted store any more.",
        remedy: "Restore the keyring, or delete \(path): without the key the entries are lost.")
    case .openToOthers(let path):
      Failure(
        .storageUnavailable, "Other users can change the folder \(path).",
        remedy: "See that it is your own, and run: chmod 700 '\(path)'")
    case .changedMeanwhile:
      Failure(.storageFailed, "The encrypted store was exchanged in this moment.", remedy: "Try again.")
    }
  }
}
