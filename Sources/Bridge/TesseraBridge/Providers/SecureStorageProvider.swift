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
  /// Whether the user must be authenticated before the entry of this name is read. By default false.
  func needsPresence(_ key: String, for caller: Caller) async throws -> Bool
  /// Makes `needsPresence` true for a name, with or without an entry. It remains true when the entry is replaced or
  /// removed. By default throws an error: a provider must not promise a protection that it does not have.
  func setNeedsPresence(_ key: String, for caller: Caller) async throws
}

extension SecureStorageProvider {
  public func needsPresence(_ key: String, for caller: Caller) async throws -> Bool { false }

  public func setNeedsPresence(_ key: String, for caller: Caller) async throws {
    throw BridgeError("NOT_CONFIGURED", "The secure storage of this host cannot require the user.")
  }
}
