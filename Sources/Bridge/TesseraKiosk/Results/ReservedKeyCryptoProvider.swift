package import TesseraBridge
package import TesseraKeys

/// Another provider without one key, that of the results: the page of a kiosk is a part of the program, so its keys are
/// those of the user. It could otherwise sign what nobody read, or remove or replace the key. It may read the public key.
package struct ReservedKeyCryptoProvider: CryptoProvider {
  private let inner: any CryptoProvider
  private let reserved: KeyName

  package init(_ inner: any CryptoProvider, reserved: KeyName) {
    self.inner = inner
    self.reserved = reserved
  }

  package func generateKey(_ keyRef: String, needsPresence: Bool, for caller: Caller) async throws {
    try check(keyRef, caller)
    try await inner.generateKey(keyRef, needsPresence: needsPresence, for: caller)
  }

  package func getPublicKey(
    _ keyRef: String, as form: CryptoPublicKeyForm, for caller: Caller
  ) async throws -> String? { try await inner.getPublicKey(keyRef, as: form, for: caller) }

  package func sign(_ keyRef: String, _ data: String, for caller: Caller) async throws -> String? {
    try check(keyRef, caller)
    return try await inner.sign(keyRef, data, for: caller)
  }

  package func sign(
    _ keyRef: String, _ data: String, as form: CryptoSignatureForm, for caller: Caller
  ) async throws -> String? {
    try check(keyRef, caller)
    return try await inner.sign(keyRef, data, as: form, for: caller)
  }

  package func deleteKey(_ keyRef: String, for caller: Caller) async throws {
    try check(keyRef, caller)
    try await inner.deleteKey(keyRef, for: caller)
  }

  private func check(_ keyRef: String, _ caller: Caller) throws {
    guard try KeyName(keyRef, owner: caller) == reserved else { return }
    throw BridgeError("NOT_ALLOWED", "The key \"\(reserved.name)\" signs the results of this kiosk.")
  }
}
