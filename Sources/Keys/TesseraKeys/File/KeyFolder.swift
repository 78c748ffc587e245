import TesseraCryptography
import TesseraDurableFiles

/// A folder of key files, and the policies of their names.
struct KeyFolder: Sendable {
  let path: String
  private let files: NamedFiles
  private let policies: ConfirmationPolicies
  private let keysPerOrigin: Int
  /// The designation of the store in errors and lists.
  private let store: String

  /// - Parameters:
  ///   - stores: the folder that contains all key stores of the user.
  ///   - store: the designation of this store, which is also the name of its folder.
  init(_ stores: String, store: String, keysPerOrigin: Int) {
    path = "\(stores)/\(store)"
    files = NamedFiles(path: path, ending: ".pem")
    policies = ConfirmationPolicies(path: stores)
    self.keysPerOrigin = keysPerOrigin
    self.store = store
  }

  /// The identity of a key's file; nil if the file does not exist.
  func identity(of name: KeyName) throws -> FileIdentity? { try files.file(name).identity() }

  /// The parsed file and its identity; nil if the file does not exist.
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

  /// All readable keys, sorted by name.
  func keys() throws -> [StoredKey] { try files.names().compactMap { try? key($0) } }

  /// Checks whether a new key of this name can be written.
  ///
  /// - Parameter replacing: whether a key of this name may exist.
  /// - Throws: `KeyStoreError.exists`, `KeyStoreError.tooMany`.
  func check(_ name: KeyName, replacing: Bool) throws {
    if try identity(of: name) != nil {
      guard replacing else { throw KeyStoreError.exists(name, store: store) }
    } else if case .web = name.owner, try files.count(of: name.owner) >= keysPerOrigin {
      throw KeyStoreError.tooMany(limit: keysPerOrigin)
    }
  }

  /// Writes the file of a key, and makes the policy of its name at least as strict as `confirmation`.
  ///
  /// - Parameter replacing: whether to replace an existing file; otherwise throws `KeyStoreError.exists`.
  /// - Returns: the new key, and the replaced file if it was readable.
  func write(
    _ file: KeyFile, to name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) throws -> (key: StoredKey, old: KeyFile?) {
    try files.withLock(name.owner) {
      try check(name, replacing: replacing)
      let old = (try? read(name))?.file
      try policies.raise(to: max(confirmation, self.confirmation(of: name, old)), of: name)
      guard try files.file(name).write(file.text, replacing: replacing) else {
        throw KeyStoreError.exists(name, store: store)
      }
      return (try storedKey(name, file), old)
    }
  }

  /// Removes the file of a key. The policy of its name remains.
  ///
  /// - Returns: whether the file existed, and its content if it was readable.
  func remove(_ name: KeyName) throws -> (isRemoved: Bool, file: KeyFile?) {
    guard try identity(of: name) != nil else { return (false, nil) }
    return try files.withLock(name.owner) {
      let old = (try? read(name))?.file
      try policies.raise(to: confirmation(of: name, old), of: name)
      return (try files.file(name).remove(), old)
    }
  }

  /// The names of unreadable keys.
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
