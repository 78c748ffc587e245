import Bridge
import EncryptedStorage
import LinuxProviders

/// What the encrypted store throws when its disk does not read; the vectors want to see that failure answered.
public struct StorageFault: Error {}

/// The provider over the encrypted store, with a disk that does not read.
struct UnreadableStorage: SecureStorageProvider {
  let storage: EncryptedStorageProvider

  func get(_ key: String, for caller: BridgeCaller) async throws -> String? { throw StorageFault() }
  func set(_ key: String, _ value: String, for caller: BridgeCaller) async throws {
    try await storage.set(key, value, for: caller)
  }
  func remove(_ key: String, for caller: BridgeCaller) async throws { try await storage.remove(key, for: caller) }
  func clear(for caller: BridgeCaller) async throws { try await storage.clear(for: caller) }
}

/// The same for documents.
struct UnreadableDocuments: DocumentsProvider {
  let documents: EncryptedDocumentsProvider

  func get(_ key: String, for caller: BridgeCaller) async throws -> JSONValue? { throw StorageFault() }
  func set(_ key: String, _ value: JSONValue, for caller: BridgeCaller) async throws {
    try await documents.set(key, value, for: caller)
  }
  func remove(_ key: String, for caller: BridgeCaller) async throws { try await documents.remove(key, for: caller) }
  func list(for caller: BridgeCaller) async throws -> [String] { try await documents.list(for: caller) }
}
