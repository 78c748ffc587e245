public import Bridge
import Cryptography
import Foundation
public import KeyStores

/// The bridge's crypto provider over a key store.
public struct KeyStoreCryptoProvider: CryptoProvider {
  private let store: any KeyStore
  private let confirmations: ConfirmationDesk

  /// - Parameter confirmations: asks a person where a key's policy wants it.
  public init(store: any KeyStore, confirmations: ConfirmationDesk) {
    self.store = store
    self.confirmations = confirmations
  }

  public func generateKey(_ keyRef: String, needsPresence: Bool, for caller: BridgeCaller) async throws {
    let name = try name(keyRef, caller)
    _ = try await pausing(caller, mayAsk: true) {
      try await store.generate(name, confirmation: needsPresence ? .always : .never, replacing: true)
    }
  }

  public func getPublicKey(
    _ keyRef: String, as form: CryptoPublicKeyForm, for caller: BridgeCaller
  ) async throws -> String? {
    guard let key = try await existing(try name(keyRef, caller))?.publicKey else { return nil }
    return Data(form == .point ? key.point : key.subjectPublicKeyInfo).base64EncodedString()
  }

  public func sign(_ keyRef: String, _ data: String, for caller: BridgeCaller) async throws -> String? {
    guard let message = Data(base64Encoded: data) else { return nil }
    let name = try name(keyRef, caller)
    let digest = try HashAlgorithm.sha256.digest(of: message)
    // The keys of local programs ask nobody, so their policy need not be read for every signature.
    let agreed = caller == .local ? nil : try await store.key(name)
    if let agreed { try await confirmations.agree(to: agreed) }
    let mayAsk = [.passphrase, .token, .tpmAndPIN].contains(agreed?.protection)
    let signature = try await pausing(caller, mayAsk: mayAsk) { try await store.sign(digest: digest, with: name) }
    // A key that took the other's place meanwhile is not the one that was agreed to.
    if let agreed, agreed.confirmation != .never, try !agreed.publicKey.verify(signature, digest: digest) { return nil }
    return Data(try signature.der).base64EncodedString()
  }

  public func deleteKey(_ keyRef: String, for caller: BridgeCaller) async throws {
    try await store.delete(try name(keyRef, caller))
  }

  private func pausing<Result>(
    _ caller: BridgeCaller, mayAsk: Bool, _ body: () async throws -> Result
  ) async throws -> Result {
    guard case .web(let origin) = caller, mayAsk else { return try await body() }
    return try await confirmations.asking(for: origin, body)
  }

  private func existing(_ name: KeyName) async throws -> StoredKey? {
    do {
      return try await store.key(name)
    } catch {
      guard case KeyStoreError.notFound = error else { throw error }
      return nil
    }
  }

  private func name(_ keyRef: String, _ caller: BridgeCaller) throws -> KeyName {
    switch caller {
    case .local: try KeyName(keyRef)
    case .web(let origin): try KeyName(keyRef, owner: .web(origin: origin))
    }
  }
}
