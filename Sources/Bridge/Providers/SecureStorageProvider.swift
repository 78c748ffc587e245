/// Keeps texts under keys, encrypted at rest and across restarts. Each caller has keys of its own.
public protocol SecureStorageProvider: Sendable {
  /// nil where nothing is stored.
  func get(_ key: String, for caller: BridgeCaller) async throws -> String?
  func set(_ key: String, _ value: String, for caller: BridgeCaller) async throws
  /// Succeeds also where nothing is stored.
  func remove(_ key: String, for caller: BridgeCaller) async throws
  /// Removes all that this caller has.
  func clear(for caller: BridgeCaller) async throws
}
