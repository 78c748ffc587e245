import TesseraCore

/// Stores documents by key. A text is read as text, an object as an object. Each caller has its own keys.
///
/// The requirements of `SecureStorageProvider` apply.
public protocol DocumentsProvider: Sendable {
  /// Returns the document; nil if nothing is stored.
  func get(_ key: String, for caller: Caller) async throws -> JSONValue?
  /// Stores a document and replaces an existing one.
  ///
  /// - Parameters:
  ///   - key: the identifier of the document.
  ///   - value: a text, an object or an array.
  ///   - caller: the owner of the document.
  func set(_ key: String, _ value: JSONValue, for caller: Caller) async throws
  /// Removes the document. Succeeds if nothing is stored.
  func remove(_ key: String, for caller: Caller) async throws
  /// The stored keys, in any order.
  func list(for caller: Caller) async throws -> [String]
}
