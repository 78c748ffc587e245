import TesseraBridge
import TesseraCore
import TesseraEncryptedStorage
import TesseraLinuxProviders

/// The error of an unreadable disk, which vectors expect to be answered.
public struct StorageFault: Error {}

/// The secure storage provider with an unreadable disk.
struct UnreadableStorage: SecureStorageProvider {
  let storage: EncryptedStorageProvider

  func get(_ key: String, for caller: Caller) async throws -> String? { throw StorageFault() }
  func set(_ key: String, _ value: String, for caller: Caller) async throws {
    try await storage.set(key, value, for: caller)
  }
  func remove(_ key: String, for caller: Caller) async throws { try await storage.remove(key, for: caller) }
  func clear(for caller: Caller) async throws { try await storage.clear(for: caller) }
}

/// The documents provider with an unreadable disk.
struct UnreadableDocuments: DocumentsProvider {
  let documents: EncryptedDocumentsProvider

  func get(_ key: String, for caller: Caller) async throws -> JSONValue? { throw StorageFault() }
  func set(_ key: String, _ value: JSONValue, for caller: Caller) async throws {
    try await documents.set(key, value, for: caller)
  }
  func remove(_ key: String, for caller: Caller) async throws { try await documents.remove(key, for: caller) }
  func list(for caller: Caller) async throws -> [String] { try await documents.list(for: caller) }
}
