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
    _ = try await store.generate(
      try name(keyRef, caller), confirmation: needsPresence ? .always : .never, replacing: true)
  }

  public func getPublicKey(
    _ keyRef: String, as form: CryptoPublicKeyForm, for caller: BridgeCaller
  ) async throws -> String? {
    let key: P256PublicKey
    do {
      key = try await store.key(try name(keyRef, caller)).publicKey
    } catch {
      guard case KeyStoreError.notFound = error else { throw error }
      return nil
    }
    return Data(form == .point ? key.point : key.subjectPublicKeyInfo).base64EncodedString()
  }

  public func sign(_ keyRef: String, _ data: String, for caller: BridgeCaller) async throws -> String? {
    guard let message = Data(base64Encoded: data) else { return nil }
    let name = try name(keyRef, caller)
    // The keys of local programs ask nobody, so their policy need not be read for every signature.
    if caller != .local { try await confirmations.agree(to: try await store.key(name)) }
    let signature = try await store.sign(digest: try HashAlgorithm.sha256.digest(of: message), with: name)
    return Data(try signature.der).base64EncodedString()
  }

  public func deleteKey(_ keyRef: String, for caller: BridgeCaller) async throws {
    try await store.delete(try name(keyRef, caller))
  }

  private func name(_ keyRef: String, _ caller: BridgeCaller) throws -> KeyName {
    switch caller {
    case .local: try KeyName(keyRef)
    case .web(let origin): try KeyName(keyRef, owner: .web(origin: origin))
    }
  }
}
