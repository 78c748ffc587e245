/// Keeps documents under keys, in the form in which they were written: text stays text, an object an object. Each caller
/// has keys of its own and sees no other's.
///
/// The same holds as for `SecureStorageProvider`: durable, encrypted, any text is a key, errors quote nothing.
public protocol DocumentsProvider: Sendable {
  /// nil where nothing is stored.
  func get(_ key: String, for caller: BridgeCaller) async throws -> JSONValue?
  /// - Parameter value: a text, an object or an array.
  func set(_ key: String, _ value: JSONValue, for caller: BridgeCaller) async throws
  /// Succeeds also where nothing is stored.
  func remove(_ key: String, for caller: BridgeCaller) async throws
  /// The keys that are stored, in any order.
  func list(for caller: BridgeCaller) async throws -> [String]
}
