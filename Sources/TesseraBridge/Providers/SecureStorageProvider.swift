import TesseraCore

/// Stores texts by key, encrypted and durable. Each caller has its own keys.
///
/// Requirements: a write is on the disk when `set` returns; any text is a key, including the empty one; an empty value
/// differs from an absent one; values may be large (whole scan results); errors never quote a key or a value.
public protocol SecureStorageProvider: Sendable {
  /// Returns the value; nil if nothing is stored.
  func get(_ key: String, for caller: Caller) async throws -> String?
  /// Stores a value and replaces an existing one.
  func set(_ key: String, _ value: String, for caller: Caller) async throws
  /// Removes the value. Succeeds if nothing is stored.
  func remove(_ key: String, for caller: Caller) async throws
  /// Removes all entries of the caller.
  func clear(for caller: Caller) async throws
}
