public import Bridge
import Threads

/// Stands in for the encrypted store behind `secureStorage` and `documents`, which has tests of its own.
public final class MemoryStorage: SecureStorageProvider, DocumentsProvider {
  public struct Fault: Error {}

  private struct Place: Hashable {
    let caller: BridgeCaller
    let key: String
  }
  private let texts = Locked<[Place: String]>([:])
  private let documents = Locked<[Place: JSONValue]>([:])
  /// The reads that fail.
  private let faults: Set<String>

  public init(faults: Set<String> = []) { self.faults = faults }

  public func get(_ key: String, for caller: BridgeCaller) async throws -> String? {
    if faults.contains("secureStorage.get") { throw Fault() }
    return texts.withLock { $0[Place(caller: caller, key: key)] }
  }
  public func set(_ key: String, _ value: String, for caller: BridgeCaller) async throws {
    texts.withLock { $0[Place(caller: caller, key: key)] = value }
  }
  public func clear(for caller: BridgeCaller) async throws {
    texts.withLock { texts in texts = texts.filter { $0.key.caller != caller } }
  }

  public func get(_ key: String, for caller: BridgeCaller) async throws -> JSONValue? {
    if faults.contains("documents.loadCatalog") { throw Fault() }
    return documents.withLock { $0[Place(caller: caller, key: key)] }
  }
  public func set(_ key: String, _ value: JSONValue, for caller: BridgeCaller) async throws {
    documents.withLock { $0[Place(caller: caller, key: key)] = value }
  }
  public func list(for caller: BridgeCaller) async throws -> [String] {
    documents.withLock { $0.keys.filter { $0.caller == caller }.map(\.key) }
  }

  public func remove(_ key: String, for caller: BridgeCaller) async throws {
    texts.withLock { $0[Place(caller: caller, key: key)] = nil }
    documents.withLock { $0[Place(caller: caller, key: key)] = nil }
  }
}
