/// Keeps documents under keys, in the form in which they were written.
public protocol DocumentsProvider: Sendable {
  /// nil where nothing is stored.
  func get(_ key: String) async throws -> JSONValue?
  func set(_ key: String, _ value: JSONValue) async throws
  /// Succeeds also where nothing is stored.
  func remove(_ key: String) async throws
  /// The keys that are stored.
  func list() async throws -> [String]
}
