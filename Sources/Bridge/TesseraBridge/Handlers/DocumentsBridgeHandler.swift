import TesseraCore

extension BridgeDomain {
  public static let documents = BridgeDomain(
    "documents", DocumentsBridgeHandler.Method.self, isInOrder: true,
    wish: "wants to keep documents on this computer.")
}

/// The `documents` domain in its two vocabularies: a catalog and documents by identifier (`loadCatalog`, `saveCatalog`,
/// `loadById`, `save`, `delete`), and documents by key (`get`, `set`, `remove`, `list`).
///
/// Both address the same documents; the catalog is separate. A text is read as text, an object as an object.
public struct DocumentsBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.documents
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  enum Method: String, CaseIterable {
    case loadCatalog, saveCatalog, loadById, save, delete
    case get, set, remove, list
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
    guard let provider = registry.providers.documents else { throw BridgeError.notConfigured("documents") }
    do {
      return try await answer(method, request.parameters, provider, request.caller)
    } catch {
      throw BridgeError(
        "PROVIDER_ERROR", behind: error, for: request.caller, otherwise: "The document store failed.")
    }
  }

  private func answer(
    _ method: Method, _ parameters: BridgeParameters, _ provider: any DocumentsProvider, _ caller: Caller
  ) async throws -> JSONValue {
    switch method {
    case .loadCatalog: return try await provider.get(DocumentKey.catalog, for: caller) ?? .null
    case .saveCatalog:
      let catalog = try Self.content(parameters, "catalog", "data", orElse: "MISSING_DATA")
      try await provider.set(DocumentKey.catalog, catalog, for: caller)
      return nil
    case .loadById, .get: return try await provider.get(try Self.key(parameters, method), for: caller) ?? .null
    case .save:
      let id = try parameters.present("id", orElse: "MISSING_ID")
      let document = try Self.content(parameters, "data", "document", orElse: "MISSING_DOCUMENT")
      try await provider.set(DocumentKey.document(id), document, for: caller)
      return ["id": .string(id), "success": true]
    case .set:
      let key = try Self.key(parameters, method)
      try await provider.set(key, try Self.content(parameters, "value", orElse: "MISSING_VALUE"), for: caller)
      return nil
    case .delete, .remove:
      try await provider.remove(try Self.key(parameters, method), for: caller)
      return nil
    case .list:
      return .array(
        try await provider.list(for: caller).compactMap(DocumentKey.id).map(UTF8Text.init).sorted().map {
          .string($0.string)
        })
    }
  }

  private static func key(_ parameters: BridgeParameters, _ method: Method) throws(BridgeError) -> String {
    switch method {
    case .get, .set, .remove: DocumentKey.document(try parameters.present("key", orElse: "MISSING_KEY"))
    default: DocumentKey.document(try parameters.present("id", orElse: "MISSING_ID"))
    }
  }

  /// The value to store, from the first of its names that is present. A number or boolean becomes its text.
  private static func content(
    _ parameters: BridgeParameters, _ names: String..., orElse code: String
  ) throws(BridgeError) -> JSONValue {
    for name in names {
      switch parameters[name] {
      case nil: continue
      case .object(let members): return .object(members)
      case .array(let elements): return .array(elements)
      default: return .string(try parameters.string(name) ?? "")
      }
    }
    throw BridgeError(code, "The parameter \"\(names[0])\" is missing.")
  }
}

/// The keys of the provider. The prefix keeps documents and catalog apart for any identifier.
enum DocumentKey {
  static let catalog = "__catalog__"
  private static let prefix = "doc_"

  static func document(_ id: String) -> String { prefix + id }

  /// nil if the key is not that of a document.
  static func id(_ key: String) -> String? {
    // By bytes: an identifier may begin with a combining mark.
    key.utf8.starts(with: prefix.utf8) ? String(key.utf8.dropFirst(prefix.utf8.count)) : nil
  }
}
