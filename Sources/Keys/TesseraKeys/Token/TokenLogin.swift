internal import CTesseraP11Kit
import Glibc
import TesseraCryptography
internal import TesseraSecretService
import TesseraThreads

/// Logs in to a token. The sources of the PIN, in this order: the file in the URI, a secret that is available without a
/// prompt, the Secret Service, and a prompt.
final class TokenLogin: Sendable {
  private let pinFile: String?
  private let secrets: any SecretPrompting
  private let secretService: @Sendable () async throws -> SecretService?
  private let remembers: Bool
  /// Whether a stored PIN was wrong. It is not tried again, since the second attempt could lock the token.
  private let isStoredPINWrong = Locked(false)

  /// The token that requires the PIN.
  struct Token: Sendable {
    let label: String
    let serialNumber: String
    let flags: CK_FLAGS
  }

  /// - Parameter remembers: whether to store an entered PIN in the Secret Service after the token accepted it.
  init(
    pinFile: String?, secrets: any SecretPrompting, remembers: Bool,
    secretService: @escaping @Sendable () async throws -> SecretService?
  ) {
    self.pinFile = pinFile
    self.secrets = secrets
    self.remembers = remembers
    self.secretService = secretService
  }

  /// Whether a PIN is available without a prompt or the Secret Service.
  func hasAvailablePIN() async throws -> Bool {
    if pinFile != nil { return true }
    return try await secrets.availableSecret(for: .pin(token: "")) != nil
  }

  /// - Parameters:
  ///   - token: returns the current state of the token; its flags contain the remaining attempts.
  ///   - enter: sends the PIN to the token; nil for a token with its own PIN pad.
  /// - Throws: `TokenError`, `KeyStoreError.secretNeeded`.
  func login(
    _ token: @Sendable () async throws -> Token, enter: @Sendable (SecretBytes?) async throws -> Void
  ) async throws {
    do {
      try await logIn(token, enter)
    } catch TokenError.wrongPIN {
      // It may have been the last attempt.
      guard let flags = try? await token().flags, flags & CKF_USER_PIN_LOCKED != 0 else { throw TokenError.wrongPIN }
      throw TokenError.locked
    }
  }

  private func logIn(
    _ token: @Sendable () async throws -> Token, _ enter: @Sendable (SecretBytes?) async throws -> Void
  ) async throws {
    let now = try await token()
    if now.flags & CKF_USER_PIN_LOCKED != 0 { throw TokenError.locked }
    if now.flags & CKF_PROTECTED_AUTHENTICATION_PATH != 0 { return try await enter(nil) }
    let prompt = SecretPrompt.pin(token: now.label)
    let hasWrongPIN = isStoredPINWrong.withLock { $0 }
    if let pinFile {
      guard now.flags & CKF_USER_PIN_FINAL_TRY == 0 else { throw TokenError.lastTry }
      guard !hasWrongPIN else { throw TokenError.wrongPIN }
      return try await enterStored(try Self.pin(in: pinFile), enter)
    }
    if let pin = try await secrets.availableSecret(for: prompt) { return try await enter(pin) }

    let keyring = Keyring(secretService: secretService, token: now)
    var hint: String?
    if !hasWrongPIN, now.flags & CKF_USER_PIN_FINAL_TRY == 0,
      let pin = try await secrets.whileKeyringWaits({ await keyring.pin() })
    {
      do {
        return try await enterStored(pin, enter)
      } catch TokenError.wrongPIN {
        await keyring.delete()
        hint = "The PIN in the keyring was wrong and was deleted."
      }
    }
    if try await token().flags & CKF_USER_PIN_FINAL_TRY != 0 { hint = "One more wrong PIN locks the token." }
    guard let pin = try await secrets.ask(prompt, hint: hint) else {
      throw hint == nil ? KeyStoreError.secretNeeded(prompt) : TokenError.wrongPIN
    }
    try await enter(pin)
    if remembers { try await secrets.whileKeyringWaits { try await keyring.store(pin) } }
  }

  private func enterStored(_ pin: SecretBytes, _ enter: @Sendable (SecretBytes?) async throws -> Void) async throws {
    do {
      try await enter(pin)
    } catch {
      if error as? TokenError == .wrongPIN { isStoredPINWrong.withLock { $0 = true } }
      throw error
    }
  }

  private static func pin(in path: String) throws -> SecretBytes {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TokenError.pinSource(String(cString: strerror(errno)).lowercased()) }
    defer { close(descriptor) }
    guard let pin = Handwritten.secret(from: descriptor, upTo: 256), pin.count > 0 else {
      throw TokenError.pinSource("its first line is not a PIN")
    }
    return pin
  }
}

/// The PIN of one token in the Secret Service. An unavailable keyring counts as empty, since a prompt is still
/// possible.
private struct Keyring: Sendable {
  let secretService: @Sendable () async throws -> SecretService?
  let token: TokenLogin.Token

  private var attributes: [String: String] {
    ["xdg:schema": "org.tessera.TokenPIN", "token": token.label, "serial": token.serialNumber]
  }

  func pin() async -> SecretBytes? { try? await secretService()?.lookup(attributes) }

  /// Runs in its own task, so that a wrong PIN is deleted even if the calling task is cancelled.
  func delete() async {
    _ = await Task { _ = try? await secretService()?.delete(attributes) }.value
  }

  func store(_ pin: SecretBytes) async throws {
    try await secretService()?.store(pin, label: "PIN of the token \(token.label)", attributes: attributes)
  }
}
