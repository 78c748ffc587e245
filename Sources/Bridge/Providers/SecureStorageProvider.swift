/// Keeps texts under keys, encrypted at rest and across restarts.
public protocol SecureStorageProvider: Sendable {
  /// nil where nothing is stored.
  func get(_ key: String) async throws -> String?
  func set(_ key: String, _ value: String) async throws
  /// Succeeds also where nothing is stored.
  func remove(_ key: String) async throws
  func clear() async throws
}
