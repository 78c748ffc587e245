/// Keeps texts under keys, encrypted at rest and across restarts. Each caller has keys of its own and sees no other's.
///
/// What a provider must hold to: a write is on the disk when `set` returns; any text is a key, also the empty one; an
/// empty value is not an absent one; values may be large (whole scan results). Errors never quote a key or a value.
public protocol SecureStorageProvider: Sendable {
  /// nil where nothing is stored.
  func get(_ key: String, for caller: BridgeCaller) async throws -> String?
  func set(_ key: String, _ value: String, for caller: BridgeCaller) async throws
  /// Succeeds also where nothing is stored.
  func remove(_ key: String, for caller: BridgeCaller) async throws
  /// Removes all that this caller has stored.
  func clear(for caller: BridgeCaller) async throws
}
