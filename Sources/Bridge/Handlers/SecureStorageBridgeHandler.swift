/// The `secureStorage` domain: `get`, `set`, `remove`, `clear`.
public struct SecureStorageBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.secureStorage
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  enum Method: String, CaseIterable {
    case get, set, remove, clear
  }

  /// The oldest client reads this entry under another name.
  private static let privateKey = "self_private_key"

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    guard let provider = registry.providers.secureStorage else { throw BridgeError.notConfigured("secure storage") }
    let parameters = request.parameters
    let key = method == .clear ? "" : try parameters.present("key", orElse: "MISSING_KEY")
    let value = method == .set ? try parameters.present("value", orElse: "MISSING_VALUE") : ""
    // Before anything is looked up: whether there is such an entry is also told only to who may read it.
    if method == .get, try parameters.bool("requireBiometric") { try await recognise(request.caller) }
    do {
      switch method {
      case .get: return Self.answer(key, try await provider.get(key, for: request.caller))
      case .set: try await provider.set(key, value, for: request.caller)
      case .remove: try await provider.remove(key, for: request.caller)
      case .clear: try await provider.clear(for: request.caller)
      }
    } catch {
      throw BridgeError(
        "INTERNAL_ERROR", behind: error, toldTo: request.caller, otherwise: "The secure storage could not do it.")
    }
    return nil
  }

  private static func answer(_ key: String, _ text: String?) -> JSONValue {
    let value = text.map(JSONValue.string) ?? .null
    return key.hasBytes(of: privateKey) ? ["value": value, "privateKey": value] : ["value": value]
  }

  /// Where there is nothing to recognise anybody by, the wish is not heard, as on all known native sides: the client asks so
  /// for its key, takes a refusal for "there is none", and would make another in its place. The same content gets
  /// the entry without the wish, too, so that nothing is given away.
  private func recognise(_ caller: BridgeCaller) async throws {
    guard let provider = registry.providers.biometric else { return }
    do {
      try await abandonedWhenCancelled {
        try await provider.authenticate(reason: "Unlock the stored key", for: caller)
      }
    } catch {
      throw BridgeError("BIOMETRIC_FAILED", "The user was not recognised.")
    }
  }
}
