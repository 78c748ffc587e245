public import Bridge
import Cryptography
public import EncryptedStorage
import Failures

/// The bridge's documents over the encrypted store, as JSON: a text is read as a text, an object as an object.
public struct EncryptedDocumentsProvider: DocumentsProvider {
  private let store: EncryptedStore

  public init(store: EncryptedStore) { self.store = store }

  public func get(_ key: String, for caller: BridgeCaller) async throws -> JSONValue? {
    guard let value = try await store.value(of: try name(key, caller)) else { return nil }
    do {
      return try value.withUnsafeBytes { try JSONValue(text: String(decoding: $0, as: UTF8.self)) }
    } catch {
      // It was authentic, so it was written so: by a program of another version. Its own error might quote it.
      throw Failure(.storageFailed, "The document is not stored as JSON.", remedy: "Write it again.")
    }
  }

  public func set(_ key: String, _ value: JSONValue, for caller: BridgeCaller) async throws {
    try await store.set(SecretBytes(value.text.utf8), for: try name(key, caller))
  }

  public func remove(_ key: String, for caller: BridgeCaller) async throws {
    try await store.remove(try name(key, caller))
  }

  /// Documents that cannot be read are left out: their names cannot be read, either.
  public func list(for caller: BridgeCaller) async throws -> [String] {
    try await store.entries(in: .documents, of: EntryOwner(caller)).names.compactMap(\.text)
  }

  private func name(_ key: String, _ caller: BridgeCaller) throws -> EntryName {
    try EntryName(key, in: .documents, of: EntryOwner(caller))
  }
}
