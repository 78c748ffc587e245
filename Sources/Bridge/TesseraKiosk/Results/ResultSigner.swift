package import TesseraKeys

/// Signs results with a key of the machine.
package struct ResultSigner: Sendable {
  private let store: any KeyStore
  package let name: KeyName
  private let onNewKey: @Sendable () -> Void

  /// - Parameter onNewKey: called after a key was made, now or for a later result: receivers must learn its public key.
  package init(store: any KeyStore, name: KeyName, onNewKey: @escaping @Sendable () -> Void = {}) {
    self.store = store
    self.name = name
    self.onNewKey = onNewKey
  }

  /// Makes the key if it does not exist.
  ///
  /// - Returns: the public key, and whether it is new.
  /// - Throws: the errors of the store.
  package func prepare() async throws -> (publicKey: P256PublicKey, isNew: Bool) {
    do {
      return (try await store.key(name).publicKey, false)
    } catch KeyStoreError.notFound {
      do {
        let key = try await store.generate(name, confirmation: .never, replacing: false).publicKey
        onNewKey()
        return (key, true)
      } catch KeyStoreError.exists {
        // Another kiosk of this user made it meanwhile.
        return (try await store.key(name).publicKey, false)
      }
    }
  }

  /// The signature of the text, ECDSA over its SHA-256 digest, in DER: what `openssl dgst -sha256 -verify` accepts.
  package func signature(of text: [UInt8]) async throws -> [UInt8] {
    do {
      return try await store.sign(text, with: name).der
    } catch KeyStoreError.notFound {
      // It could not be made at the start, or somebody deleted it.
      _ = try await prepare()
      return try await store.sign(text, with: name).der
    }
  }
}
