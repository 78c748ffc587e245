import Cryptography
import DurableFiles

/// A folder of key files, with the policies that belong to their names.
struct KeyFolder: Sendable {
  let path: String
  private let files: NamedFiles
  private let policies: ConfirmationPolicies
  private let keysPerOrigin: Int
  /// What errors and lists call the store.
  private let store: String

  /// - Parameters:
  ///   - stores: the folder of all key stores of a user.
  ///   - store: the designation of this one, which its folder is called, too.
  init(_ stores: String, store: String, keysPerOrigin: Int) {
    path = "\(stores)/\(store)"
    files = NamedFiles(path: path, ending: ".pem")
    policies = ConfirmationPolicies(path: stores)
    self.keysPerOrigin = keysPerOrigin
    self.store = store
  }

  /// nil where there is no such file.
  func identity(of name: KeyName) throws -> FileIdentity? { try files.file(name).identity() }

  /// The file with its identity; nil where there is no such one.
  func read(_ name: KeyName) throws -> (file: KeyFile, identity: FileIdentity)? {
    guard try identity(of: name) != nil else { return nil }
    do {
      guard let (text, identity) = try files.file(name).read(upTo: KeyFile.largest) else { return nil }
      return (try KeyFile(text, name), identity)
    } catch is FolderError {
      throw KeyStoreError.damaged(name, "it cannot be read as a file")
    }
  }

  /// - Throws: `KeyStoreError.notFound`.
  func key(_ name: KeyName) throws -> StoredKey {
    guard let (file, _) = try read(name) else { throw KeyStoreError.notFound(name, store: store) }
    return try storedKey(name, file)
  }

  /// All that can be read, in order of their names.
  func keys() throws -> [StoredKey] { try files.names().compactMap { try? key($0) } }

  /// Whether a new key of this name could be written, before work is done for it.
  ///
  /// - Parameter replacing: false: a key of this name must not be there.
  /// - Throws: `KeyStoreError.exists`, `KeyStoreError.tooMany`.
  func check(_ name: KeyName, replacing: Bool) throws {
    if try identity(of: name) != nil {
      guard replacing else { throw KeyStoreError.exists(name, store: store) }
    } else if case .web = name.owner, try files.count(of: name.owner) >= keysPerOrigin {
      throw KeyStoreError.tooMany(limit: keysPerOrigin)
    }
  }

  /// Writes a key's file, and makes the policy of its name as strict as `confirmation`.
  ///
  /// - Parameter replacing: false: throws `KeyStoreError.exists` where there is such a file, and changes nothing.
  /// - Returns: the new key, and the file that gave way, where it can be read.
  func write(
    _ file: KeyFile, to name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) throws -> (key: StoredKey, old: KeyFile?) {
    try files.changing(name.owner) {
      try check(name, replacing: replacing)
      let old = (try? read(name))?.file
      try policies.raise(to: max(confirmation, self.confirmation(of: name, old)), of: name)
      guard try files.file(name).write(file.text, replacing: replacing) else {
        throw KeyStoreError.exists(name, store: store)
      }
      return (try storedKey(name, file), old)
    }
  }

  /// Removes a key's file; the policy of its name stays.
  ///
  /// - Returns: whether there was one, and the file where it can be read.
  func remove(_ name: KeyName) throws -> (isRemoved: Bool, file: KeyFile?) {
    guard try identity(of: name) != nil else { return (false, nil) }
    return try files.changing(name.owner) {
      let old = (try? read(name))?.file
      try policies.raise(to: confirmation(of: name, old), of: name)
      return (try files.file(name).remove(), old)
    }
  }

  /// The names of those that cannot be read.
  func damagedNames() throws -> [KeyName] {
    try files.names().filter { name in
      do {
        _ = try key(name)
        return false
      } catch {
        return error as? KeyStoreError != .notFound(name, store: store)
      }
    }
  }

  private func storedKey(_ name: KeyName, _ file: KeyFile) throws -> StoredKey {
    StoredKey(
      name: name, store: store, protection: file.protection, confirmation: try confirmation(of: name, file),
      created: file.created, publicKey: file.publicKey)
  }

  private func confirmation(of name: KeyName, _ file: KeyFile?) throws -> ConfirmationPolicy {
    try policies.policy(of: name) ?? file?.earlierConfirmation ?? .never
  }
}
