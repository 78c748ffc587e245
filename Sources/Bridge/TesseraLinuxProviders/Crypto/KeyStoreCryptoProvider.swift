import FoundationEssentials
import Glibc
public import TesseraBridge
public import TesseraCore
import TesseraCryptography
public import TesseraKeys

/// The crypto provider that uses a key store.
public struct KeyStoreCryptoProvider: CryptoProvider {
  private let store: any KeyStore
  private let confirmations: SignatureConfirmation

  /// - Parameters:
  ///   - store: the key store.
  ///   - confirmations: prompts the user, if the policy of a key requires it.
  public init(store: any KeyStore, confirmations: SignatureConfirmation) {
    self.store = store
    self.confirmations = confirmations
  }

  public func generateKey(_ keyRef: String, needsPresence: Bool, for caller: Caller) async throws {
    let name = try name(keyRef, caller)
    _ = try await pausing(caller, mayPrompt: true) {
      try await store.generate(name, confirmation: needsPresence ? .always : .never, replacing: true)
    }
  }

  public func getPublicKey(
    _ keyRef: String, as form: CryptoPublicKeyForm, for caller: Caller
  ) async throws -> String? {
    guard let key = try await existing(try name(keyRef, caller)).map({ try $0.publicKey }) else { return nil }
    return Data(form == .point ? key.point : key.subjectPublicKeyInfo).base64EncodedString()
  }

  public func sign(_ keyRef: String, _ data: String, for caller: Caller) async throws -> String? {
    try await sign(keyRef, data, as: .der, for: caller)
  }

  public func sign(
    _ keyRef: String, _ data: String, as form: CryptoSignatureForm, for caller: Caller
  ) async throws -> String? {
    guard let message = Data(base64Encoded: data) else { return nil }
    let name = try name(keyRef, caller)
    let digest = try HashAlgorithm.sha256.digest(of: message)
    // Signatures of local programs need no confirmation, so the policy is not read.
    let confirmed = caller == .local ? nil : try await store.key(name)
    if let confirmed { try await confirmations.confirm(signingWith: confirmed) }
    let mayPrompt = confirmed?.protection.asksForSecret ?? false
    let signature = try await pausing(caller, mayPrompt: mayPrompt) { try await store.sign(digest: digest, with: name) }
    // What was decided above does not apply to a key that replaced this one in the meantime: that key can have a stricter
    // policy, also if this one needs no confirmation.
    if let confirmed, try !confirmed.publicKey.verify(signature, digest: digest) {
      return nil
    }
    return Data(form == .der ? try signature.der : signature.raw).base64EncodedString()
  }

  public func deleteKey(_ keyRef: String, for caller: Caller) async throws {
    try await store.delete(try name(keyRef, caller))
  }

  private func pausing<Result>(
    _ caller: Caller, mayPrompt: Bool, _ body: () async throws -> Result
  ) async throws -> Result {
    guard case .web(let origin) = caller, mayPrompt else { return try await body() }
    return try await confirmations.limitingPrompts(for: origin, body)
  }

  private func existing(_ name: KeyName) async throws -> StoredKey? {
    do {
      return try await store.key(name)
    } catch {
      guard case KeyStoreError.notFound = error else { throw error }
      return nil
    }
  }

  private func name(_ keyRef: String, _ caller: Caller) throws -> KeyName {
    try KeyName(keyRef, owner: caller)
  }
}
