import TesseraCore
import TesseraThreads

extension BridgeDomain {
  public static let secureStorage = BridgeDomain(
    "secureStorage", SecureStorageBridgeHandler.Method.self, isInOrder: true,
    wish: "wants to keep secrets on this computer.")
}

/// The `secureStorage` domain: `get`, `set`, `remove`, `clear`.
///
/// An entry that was stored with `requireBiometric` is read or replaced only after an authentication, whatever the
/// parameters of the request are. The guard belongs to the name: it survives `set`, `remove` and `clear`, and only the
/// user removes it. The response of a `get` that the password of the account
/// permitted has the member `authenticatedBy`.
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
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
    guard let provider = registry.providers.secureStorage else { throw BridgeError.notConfigured("secure storage") }
    let parameters = request.parameters
    let key = method == .clear ? "" : try parameters.present("key", orElse: "MISSING_KEY")
    let value = method == .set ? try parameters.present("value", orElse: "MISSING_VALUE") : ""
    let wantsPresence = try parameters.bool("requireBiometric")
    do {
      switch method {
      case .get:
        let (value, method) = try await self.value(of: key, wantsPresence, provider, request.caller)
        return Self.response(key, value, method)
      case .set:
        try await permitReplacement(of: key, provider, request.caller)
        if wantsPresence { try await protect(key, provider, request.caller) }
        try await provider.set(key, value, for: request.caller)
      case .remove: try await provider.remove(key, for: request.caller)
      case .clear: try await provider.clear(for: request.caller)
      }
    } catch {
      throw BridgeError(
        "INTERNAL_ERROR", behind: error, for: request.caller, otherwise: "The secure storage failed.")
    }
    return nil
  }

  private static func response(_ key: String, _ text: String?, _ method: AuthenticationMethod?) -> JSONValue {
    let value = text.map(JSONValue.string) ?? .null
    var fields: JSONObject = ["value": value]
    if key.hasBytes(of: privateKey) { fields["privateKey"] = value }
    if let method, method != .biometric { fields["authenticatedBy"] = .string(method.rawValue) }
    return .object(fields)
  }

  private func value(
    of key: String, _ wantsPresence: Bool, _ provider: any SecureStorageProvider, _ caller: Caller
  ) async throws -> (value: String?, method: AuthenticationMethod?) {
    // Before the lookup: whether the entry exists is also confidential.
    var method: AuthenticationMethod?
    if try await provider.needsPresence(key, for: caller) {
      method = try await authenticate(caller)
    } else if wantsPresence, await isPersonAvailable(caller) {
      // Without a reader the parameter has no effect, like on all known native sides: the client reads its private key
      // this way, interprets an error as "no key", and would replace the key. The same content can read this entry
      // without the parameter, so this reveals nothing more.
      method = try await authenticate(caller)
    }
    let value = try await provider.get(key, for: caller)
    // Another connection may have stored a guarded entry since the first look. Its guard was written before it.
    if method == nil, try await provider.needsPresence(key, for: caller) {
      method = try await authenticate(caller)
    }
    return (value, method)
  }

  private func isPersonAvailable(_ caller: Caller) async -> Bool {
    guard let provider = registry.providers.biometric else { return false }
    // The answer decides about a guard, so that an earlier one does not count; one that is under way does.
    return await registry.biometricCapability.answer(for: caller, noOlderThan: .zero) {
      await provider.isAvailable(for: caller)
    }
  }

  /// Authenticates the user before a guarded entry is replaced. The published client takes each error of `get` for an
  /// absent key, then generates and stores a new one: without this, one missed touch would destroy the key.
  ///
  /// - Throws: `BridgeError` `BIOMETRIC_FAILED`.
  private func permitReplacement(of key: String, _ provider: any SecureStorageProvider, _ caller: Caller) async throws {
    guard try await provider.needsPresence(key, for: caller), try await provider.get(key, for: caller) != nil else {
      return
    }
    _ = try await authenticate(caller, reason: "Replace the stored key")
  }

  /// Guards a name from now on.
  ///
  /// - Throws: `BridgeError` `NOT_CONFIGURED` where nobody could read the entry afterwards.
  private func protect(_ key: String, _ provider: any SecureStorageProvider, _ caller: Caller) async throws {
    if try await provider.needsPresence(key, for: caller) { return }
    guard await isPersonAvailable(caller) else {
      throw BridgeError(
        "NOT_CONFIGURED", "The user cannot be authenticated here: there is no reader, or no finger is enrolled.")
    }
    try await provider.setNeedsPresence(key, for: caller)
  }

  /// - Throws: `BridgeError` `BIOMETRIC_FAILED`, also without a provider.
  private func authenticate(
    _ caller: Caller, reason: String = "Unlock the stored key"
  ) async throws -> AuthenticationMethod {
    guard let provider = registry.providers.biometric else {
      throw BridgeError("BIOMETRIC_FAILED", "The entry requires the user, who cannot be authenticated here.")
    }
    do {
      return try await withTimeLimit(nil, gracePeriod: BiometricBridgeHandler.gracePeriod) {
        try await provider.authenticate(reason: reason, for: caller) { _ in }
      }
    } catch {
      let reason = BiometricBridgeHandler.translated(error, caller)
      throw BridgeError("BIOMETRIC_FAILED", reason.message, details: reason.details, failure: reason.failure)
    }
  }
}
