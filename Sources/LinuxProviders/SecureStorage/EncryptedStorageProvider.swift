public import Bridge
import Cryptography
public import EncryptedStorage

/// The bridge's secure storage over the encrypted store.
public struct EncryptedStorageProvider: SecureStorageProvider {
  private let store: EncryptedStore

  public init(store: EncryptedStore) { self.store = store }

  public func get(_ key: String, for caller: BridgeCaller) async throws -> String? {
    guard let value = try await store.value(of: try name(key, caller)) else { return nil }
    return value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  public func set(_ key: String, _ value: String, for caller: BridgeCaller) async throws {
    try await store.set(SecretBytes(value.utf8), for: try name(key, caller))
  }

  public func remove(_ key: String, for caller: BridgeCaller) async throws {
    try await store.remove(try name(key, caller))
  }

  public func clear(for caller: BridgeCaller) async throws {
    try await store.removeAll(in: .secureStorage, of: EntryOwner(caller))
  }

  private func name(_ key: String, _ caller: BridgeCaller) throws -> EntryName {
    try EntryName(key, in: .secureStorage, of: EntryOwner(caller))
  }
}

extension EntryOwner {
  /// The callers of the bridge are the owners of what they store.
  init(_ caller: BridgeCaller) {
    switch caller {
    case .local: self = .local
    case .web(let origin): self = .web(origin: origin)
    }
  }
}
