import TesseraCore
import TesseraCryptography

/// The names in `secureStorage` whose entries are read only after the person was authenticated. The store keeps the
/// guards; its users enforce them.
///
/// A guard belongs to a name of an owner, with or without an entry. Names are compared as bytes, like those of entries,
/// so that no other spelling reads a guarded entry. An earlier version of the store has no guards, and ignores them.
extension EncryptedStore {
  /// Whether the entry of this name requires the person.
  ///
  /// - Throws: `StorageError.damaged`: an unreadable guard never counts as none.
  package func isGuarded(_ name: EntryName) async throws -> Bool {
    try await value(of: try Self.guardName(name)) != nil
  }

  /// Requires the person for the entry of this name from now on. The guard counts as an entry of its owner.
  ///
  /// - Throws: `StorageError.full`.
  package func addGuard(to name: EntryName) async throws {
    try await set(SecretBytes([]), for: try Self.guardName(name))
  }

  /// Removes the guard of one name, on behalf of the person.
  ///
  /// - Returns: false if the name had none.
  @discardableResult
  package func removeGuard(from name: EntryName) async throws -> Bool {
    try await remove(try Self.guardName(name))
  }

  /// The guarded names of an owner.
  package func guardedNames(of owner: Caller) async throws -> Listing {
    try await entries(in: .guards, of: owner)
  }

  private static func guardName(_ name: EntryName) throws -> EntryName {
    try EntryName(name.bytes, in: .guards, of: name.owner)
  }
}
