internal import CP11Kit
import Cryptography
import Glibc
import SecretService

/// Where a token's PIN comes from: the file that the URI names, the Secret Service, or a person; in this order.
struct TokenLogin: Sendable {
  let pinFile: String?
  let secrets: any SecretAsking
  let secretService: @Sendable () async throws -> SecretService?
  /// Whether a PIN that a person gave is put into the Secret Service once the token has taken it.
  let remembers: Bool

  /// - Parameters:
  ///   - token: for the question, and what a remembered PIN is found by.
  ///   - flags: the token's, as they are now.
  ///   - enter: hands the PIN to the token; nil for a token with keys of its own.
  /// - Throws: `TokenError`, `KeyStoreError.secretNeeded`.
  func login(
    label: String, serialNumber: String, flags: CK_FLAGS,
    enter: @Sendable (SecretBytes?) async throws -> Void
  ) async throws {
    if flags & CKF_USER_PIN_LOCKED != 0 { throw TokenError.locked }
    if flags & CKF_PROTECTED_AUTHENTICATION_PATH != 0 { return try await enter(nil) }
    // A stored PIN that is out of date must not be what locks the token.
    let isLastTry = flags & CKF_USER_PIN_FINAL_TRY != 0
    if let pinFile {
      guard !isLastTry else { throw TokenError.lastTry }
      return try await enter(try Self.pin(in: pinFile))
    }
    let attributes = ["xdg:schema": "org.tessera.TokenPIN", "token": label, "serial": serialNumber]
    let service = isLastTry ? nil : try await secretService()
    var hint = isLastTry ? "One more wrong PIN locks the token." : nil
    var isForgotten = false
    if let service, let pin = try await service.lookup(attributes) {
      do {
        return try await enter(pin)
      } catch {
        guard error as? TokenError == .wrongPIN else { throw error }
        try await service.delete(attributes)
        isForgotten = true
        hint = "The PIN in the keyring was wrong and has been forgotten."
      }
    }
    let question = SecretQuestion.pin(token: label)
    guard let pin = try await secrets.ask(question, hint: hint) else {
      throw isForgotten ? TokenError.wrongPIN : KeyStoreError.secretNeeded(question)
    }
    try await enter(pin)
    if remembers, let service {
      try await service.store(pin, label: "PIN of the token \(label)", attributes: attributes)
    }
  }

  private static func pin(in path: String) throws -> SecretBytes {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TokenError.pinSource(String(cString: strerror(errno)).lowercased()) }
    defer { close(descriptor) }
    guard let pin = SecretBytes(reading: descriptor, upTo: 256, endsAtLine: true), pin.count > 0 else {
      throw TokenError.pinSource("its first line is not a PIN")
    }
    return pin
  }
}
