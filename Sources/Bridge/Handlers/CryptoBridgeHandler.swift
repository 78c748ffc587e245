import Failures

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `crypto` domain: `generateKey`, `getPublicKey`, `sign`, `deleteKey`.
public struct CryptoBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.crypto
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  private enum Method: String {
    case generateKey, getPublicKey, sign, deleteKey
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(rawValue: request.method) else { throw BridgeError.methodNotFound }
    guard let provider = registry.providers.crypto else {
      throw BridgeError("NOT_CONFIGURED", "No crypto provider is registered.")
    }
    let parameters = request.parameters
    // The existing native sides look at the data of `sign` first. An empty message is one.
    let message = method == .sign ? try parameters.present("data", orElse: "MISSING_DATA") : ""
    let keyRef = try parameters.required("keyRef", orElse: "MISSING_KEY_REF")
    switch method {
    case .generateKey:
      let needsPresence = try parameters.bool("requireBiometric")
      try await provider.generateKey(keyRef, needsPresence: needsPresence, for: request.caller)
      return ["keyRef": .string(keyRef), "success": true]
    case .getPublicKey:
      let name = try parameters.string("format") ?? CryptoPublicKeyForm.point.rawValue
      guard let form = CryptoPublicKeyForm(rawValue: name) else {
        throw BridgeError("INVALID_PARAMS", "The format of a public key is point or spki.")
      }
      guard let key = try await provider.getPublicKey(keyRef, as: form, for: request.caller) else {
        throw Self.keyNotFound
      }
      return ["publicKey": .string(key)]
    case .sign: return ["signature": .string(try await sign(message, keyRef, provider, request.caller))]
    case .deleteKey:
      try await provider.deleteKey(keyRef, for: request.caller)
      return nil
    }
  }

  private func sign(
    _ message: String, _ keyRef: String, _ provider: any CryptoProvider, _ caller: BridgeCaller
  ) async throws -> String {
    guard Data(base64Encoded: message) != nil else {
      throw BridgeError("INVALID_DATA", "The data to be signed is not base 64.")
    }
    let signature: String?
    do {
      signature = try await provider.sign(keyRef, message, for: caller)
    } catch {
      let failure = Failure(error)
      // The protocol has one code for everything else that keeps a signature from being made.
      guard !(error is BridgeError), ![.keyNotFound, .cancelled].contains(failure.kind) else { throw error }
      throw BridgeError("SIGN_FAILED", failure.cause, failure: failure)
    }
    guard let signature else { throw BridgeError("SIGN_FAILED", "The provider made no signature.") }
    return signature
  }

  private static let keyNotFound = BridgeError(
    "KEY_NOT_FOUND", "There is no key of this reference.",
    failure: Failure(
      .keyNotFound, "There is no key of this reference.", remedy: "Make it with crypto.generateKey first."))
}
