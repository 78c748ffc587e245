public import TesseraBridge
public import TesseraCore
import TesseraCryptography
public import TesseraEncryptedStorage

/// The secure storage provider that uses the encrypted store.
public struct EncryptedStorageProvider: SecureStorageProvider {
  private let store: EncryptedStore

  public init(store: EncryptedStore) { self.store = store }

  public func get(_ key: String, for caller: Caller) async throws -> String? {
    guard let value = try await store.value(of: try name(key, caller)) else { return nil }
    return value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  public func set(_ key: String, _ value: String, for caller: Caller) async throws {
    try await store.set(SecretBytes(value.utf8), for: try name(key, caller))
  }

  public func remove(_ key: String, for caller: Caller) async throws {
    try await store.remove(try name(key, caller))
  }

  public func clear(for caller: Caller) async throws {
    try await store.removeAll(in: .secureStorage, of: caller)
  }

  public func needsPresence(_ key: String, for caller: Caller) async throws -> Bool {
    try await store.isGuarded(try name(key, caller))
  }

  public func setNeedsPresence(_ key: String, for caller: Caller) async throws {
    try await store.addGuard(to: try name(key, caller))
  }

  private func name(_ key: String, _ caller: Caller) throws -> EntryName {
    try EntryName(key, in: .secureStorage, of: caller)
  }
}
