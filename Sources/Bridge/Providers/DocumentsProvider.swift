/// Keeps documents under keys, in the form in which they were written. Each caller has keys of its own.
public protocol DocumentsProvider: Sendable {
  /// nil where nothing is stored.
  func get(_ key: String, for caller: BridgeCaller) async throws -> JSONValue?
  func set(_ key: String, _ value: JSONValue, for caller: BridgeCaller) async throws
  /// Succeeds also where nothing is stored.
  func remove(_ key: String, for caller: BridgeCaller) async throws
  /// The keys that are stored.
  func list(for caller: BridgeCaller) async throws -> [String]
}
