public import Bridge
import Threads

// Stand in for the encrypted store behind `secureStorage` and `documents`, which has tests of its own.

public struct StorageFault: Error {}

private struct Place: Hashable {
  let caller: BridgeCaller
  let key: String
}

public final class MemoryStorage: SecureStorageProvider {
  private let texts = Locked<[Place: String]>([:])
  private let failsToRead: Bool

  public init(failsToRead: Bool = false) { self.failsToRead = failsToRead }

  public func get(_ key: String, for caller: BridgeCaller) async throws -> String? {
    if failsToRead { throw StorageFault() }
    return texts.withLock { $0[Place(caller: caller, key: key)] }
  }
  public func set(_ key: String, _ value: String, for caller: BridgeCaller) async throws {
    texts.withLock { $0[Place(caller: caller, key: key)] = value }
  }
  public func remove(_ key: String, for caller: BridgeCaller) async throws {
    texts.withLock { $0[Place(caller: caller, key: key)] = nil }
  }
  public func clear(for caller: BridgeCaller) async throws {
    texts.withLock { texts in texts = texts.filter { $0.key.caller != caller } }
  }
}

public final class MemoryDocuments: DocumentsProvider {
  private let documents = Locked<[Place: JSONValue]>([:])
  private let failsToRead: Bool

  public init(failsToRead: Bool = false) { self.failsToRead = failsToRead }

  public func get(_ key: String, for caller: BridgeCaller) async throws -> JSONValue? {
    if failsToRead { throw StorageFault() }
    return documents.withLock { $0[Place(caller: caller, key: key)] }
  }
  public func set(_ key: String, _ value: JSONValue, for caller: BridgeCaller) async throws {
    documents.withLock { $0[Place(caller: caller, key: key)] = value }
  }
  public func remove(_ key: String, for caller: BridgeCaller) async throws {
    documents.withLock { $0[Place(caller: caller, key: key)] = nil }
  }
  public func list(for caller: BridgeCaller) async throws -> [String] {
    documents.withLock { $0.keys.filter { $0.caller == caller }.map(\.key) }
  }
}
