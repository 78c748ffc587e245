import TesseraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension BridgeDomain {
  public static let crypto = BridgeDomain(
    "crypto", CryptoBridgeHandler.Method.self,
    wish: "wants to create keys on this computer and sign with them.")
}

/// The `crypto` domain: `generateKey`, `getPublicKey`, `sign`, `deleteKey`.
///
/// `generateKey` fails with `STORAGE_FULL` if the origin has its maximum number of keys. After the user refused a
/// signature, `details.retryAfter` of the error is the number of seconds until the next request can prompt the user.
public struct CryptoBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.crypto
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  enum Method: String, CaseIterable {
    case generateKey, getPublicKey, sign, deleteKey
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
    guard let provider = registry.providers.crypto else {
      throw BridgeError.notConfigured("crypto")
    }
    let parameters = request.parameters
    // The mobile SDKs check the data of `sign` first. An empty message is valid.
    let message = method == .sign ? try parameters.present("data", orElse: "MISSING_DATA") : ""
    let keyRef = try parameters.required("keyRef", orElse: "MISSING_KEY_REF")
    do {
      return try await answer(method, message, keyRef, request, provider)
    } catch {
      throw Self.translated(error, method, request.caller)
    }
  }

  private func answer(
    _ method: Method, _ message: String, _ keyRef: String, _ request: BridgeRequest, _ provider: any CryptoProvider
  ) async throws -> JSONValue {
    let parameters = request.parameters
    switch method {
    case .generateKey:
      let needsPresence = try parameters.bool("requireBiometric")
      try await provider.generateKey(keyRef, needsPresence: needsPresence, for: request.caller)
      return ["keyRef": .string(keyRef), "success": true]
    case .getPublicKey:
      let format = try parameters.string("format") ?? CryptoPublicKeyForm.point.rawValue
      guard let form = CryptoPublicKeyForm(protocolName: format) else {
        throw BridgeError("INVALID_PARAMS", "The format of a public key must be \"point\" or \"spki\".")
      }
      guard let key = try await provider.getPublicKey(keyRef, as: form, for: request.caller) else {
        throw Self.keyNotFound
      }
      return ["publicKey": .string(key)]
    case .sign:
      // Foundation also accepts texts that are not canonical base64.
      guard Data(base64Encoded: message)?.base64EncodedString() == message else {
        throw BridgeError("INVALID_DATA", "The data to sign is not base64.")
      }
      let format = try parameters.string("format") ?? CryptoSignatureForm.der.rawValue
      guard let form = CryptoSignatureForm(protocolName: format) else {
        throw BridgeError("INVALID_PARAMS", "The format of a signature must be \"der\" or \"p1363\".")
      }
      guard let signature = try await provider.sign(keyRef, message, as: form, for: request.caller) else {
        throw BridgeError("SIGN_FAILED", "The provider returned no signature.")
      }
      return ["signature": .string(signature)]
    case .deleteKey:
      try await provider.deleteKey(keyRef, for: request.caller)
      return nil
    }
  }

  /// The error with a code of this domain. Its message for web content reveals no path and no token.
  private static func translated(_ error: any Error, _ method: Method, _ caller: Caller) -> BridgeError {
    if let coded = error as? BridgeError { return coded }
    let failure = Failure(error)
    let code =
      switch failure.kind {
      case .keyNotFound: "KEY_NOT_FOUND"
      case .usage: "INVALID_PARAMS"
      case .storageFull: "STORAGE_FULL"
      default: method == .sign ? "SIGN_FAILED" : "INTERNAL_ERROR"
      }
    let message =
      switch failure.kind {
      case .keyNotFound where caller != .local: keyNotFound.message
      // The limit of the origin, or a full disk.
      case .storageFull where caller != .local: "No more keys can be stored for this origin."
      case .usage, .confirmationRefused: failure.cause
      default: caller == .local ? failure.cause : "The key store failed."
      }
    // Details of other failures may describe the machine.
    let seconds = failure.kind == .confirmationRefused ? failure.details["retryAfter"].flatMap(Int64.init) : nil
    return BridgeError(code, message, details: seconds.map { ["retryAfter": .integer($0)] }, failure: failure)
  }

  private static let keyNotFound = BridgeError(
    "KEY_NOT_FOUND", "There is no key with this reference.",
    failure: Failure(
      .keyNotFound, "There is no key with this reference.", remedy: "Generate it with crypto.generateKey."))
}
