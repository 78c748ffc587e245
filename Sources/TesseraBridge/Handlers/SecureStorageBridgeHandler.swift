import TesseraCore
import TesseraThreads

/// The `secureStorage` domain: `get`, `set`, `remove`, `clear`.
public struct SecureStorageBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.secureStorage
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  enum Method: String, CaseIterable {
    case get, set, remove, clear
  }

  /// The oldest client reads this entry as `privateKey`.
  private static let privateKey = "self_private_key"

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound }
    guard let provider = registry.providers.secureStorage else { throw BridgeError.notConfigured("secure storage") }
    let parameters = request.parameters
    let key = method == .clear ? "" : try parameters.present("key", orElse: "MISSING_KEY")
    let value = method == .set ? try parameters.present("value", orElse: "MISSING_VALUE") : ""
    // Before the lookup: whether the entry exists is also confidential.
    if method == .get, try parameters.bool("requireBiometric") { try await authenticate(request.caller) }
    do {
      switch method {
      case .get: return Self.response(key, try await provider.get(key, for: request.caller))
      case .set: try await provider.set(key, value, for: request.caller)
      case .remove: try await provider.remove(key, for: request.caller)
      case .clear: try await provider.clear(for: request.caller)
      }
    } catch {
      throw BridgeError(
        "INTERNAL_ERROR", behind: error, for: request.caller, otherwise: "The secure storage failed.")
    }
    return nil
  }

  private static func response(_ key: String, _ text: String?) -> JSONValue {
    let value = text.map(JSONValue.string) ?? .null
    return key.hasBytes(of: privateKey) ? ["value": value, "privateKey": value] : ["value": value]
  }

  /// Does nothing without a biometric provider, like all known native sides: the client reads its private key this way,
  /// interprets an error as "no key", and would replace the key. The same content can read the entry without
  /// `requireBiometric`, so this reveals nothing more.
  private func authenticate(_ caller: Caller) async throws {
    guard let provider = registry.providers.biometric else { return }
    do {
      try await withCancellableWait {
        try await provider.authenticate(reason: "Unlock the stored key", for: caller)
      }
    } catch {
      throw BridgeError("BIOMETRIC_FAILED", "The user was not authenticated.")
    }
  }
}
