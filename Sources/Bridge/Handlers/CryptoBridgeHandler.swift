import Failures

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `crypto` domain: `generateKey`, `getPublicKey`, `sign`, `deleteKey`.
///
/// Beside the codes of the protocol, `generateKey` answers `STORAGE_FULL` where the origin has all the keys that it can
/// have; and after a person has refused a signature the error tells in `details.retryAfter`, in seconds, when one can be
/// asked for again.
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
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    guard let provider = registry.providers.crypto else {
      throw BridgeError.notConfigured("crypto")
    }
    let parameters = request.parameters
    // The existing native sides look at the data of `sign` first. An empty message is one.
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
      let name = try parameters.string("format") ?? CryptoPublicKeyForm.point.rawValue
      guard let form = CryptoPublicKeyForm(word: name) else {
        throw BridgeError("INVALID_PARAMS", "The format of a public key is point or spki.")
      }
      guard let key = try await provider.getPublicKey(keyRef, as: form, for: request.caller) else {
        throw Self.keyNotFound
      }
      return ["publicKey": .string(key)]
    case .sign:
      // Foundation also takes some texts that no encoder writes.
      guard Data(base64Encoded: message)?.base64EncodedString() == message else {
        throw BridgeError("INVALID_DATA", "The data to be signed is not base 64.")
      }
      guard let signature = try await provider.sign(keyRef, message, for: request.caller) else {
        throw BridgeError("SIGN_FAILED", "The provider made no signature.")
      }
      return ["signature": .string(signature)]
    case .deleteKey:
      try await provider.deleteKey(keyRef, for: request.caller)
      return nil
    }
  }

  /// The codes of this domain (the table of failures has those of the whole protocol). Web content is not told what is
  /// behind it: paths and tokens are not its business.
  private static func translated(_ error: any Error, _ method: Method, _ caller: BridgeCaller) -> BridgeError {
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
      // Its own limit, or the disk's.
      case .storageFull where caller != .local: "There is no room for more keys of this origin."
      case .usage, .confirmationRefused: failure.cause
      default: caller == .local ? failure.cause : "The key store could not do it."
      }
    // How long a page has to wait after a refusal, and nothing of other failures, which may be of the machine.
    let seconds = failure.kind == .confirmationRefused ? failure.details["retryAfter"].flatMap(Int64.init) : nil
    return BridgeError(code, message, details: seconds.map { ["retryAfter": .integer($0)] }, failure: failure)
  }

  private static let keyNotFound = BridgeError(
    "KEY_NOT_FOUND", "There is no key of this reference.",
    failure: Failure(
      .keyNotFound, "There is no key of this reference.", remedy: "Make it with crypto.generateKey first."))
}
