internal import CP11Kit
import Cryptography
import Glibc
import SecretService
import Threads

/// Where a token's PIN comes from: the file that the URI names, what was handed over with the command, the Secret
/// Service, or a person; in this order.
final class TokenLogin: Sendable {
  private let pinFile: String?
  private let secrets: any SecretAsking
  private let secretService: @Sendable () async throws -> SecretService?
  private let remembers: Bool
  /// Whether a stored PIN was wrong: it is not tried a second time, which might be what locks the token.
  private let isStoredPINWrong = Locked(false)

  /// The token that wants it.
  struct Token: Sendable {
    let label: String
    let serialNumber: String
    let flags: CK_FLAGS
  }

  /// - Parameter remembers: whether a PIN that a person gave is put into the Secret Service once the token has taken it.
  init(
    pinFile: String?, secrets: any SecretAsking, remembers: Bool,
    secretService: @escaping @Sendable () async throws -> SecretService?
  ) {
    self.pinFile = pinFile
    self.secrets = secrets
    self.remembers = remembers
    self.secretService = secretService
  }

  /// Whether there is a PIN without a question to anybody.
  func hasOwnPIN() async throws -> Bool {
    if pinFile != nil { return true }
    return try await secrets.given(.pin(token: "")) != nil
  }

  /// - Parameters:
  ///   - token: as it is now: its flags tell how many tries are left.
  ///   - enter: hands the PIN to the token; nil for a token with keys of its own. Tells the token's state with the error
  ///     of a wrong one.
  /// - Throws: `TokenError`, `KeyStoreError.secretNeeded`.
  func login(
    _ token: @Sendable () async throws -> Token, enter: @Sendable (SecretBytes?) async throws -> Void
  ) async throws {
    let now = try await token()
    if now.flags & CKF_USER_PIN_LOCKED != 0 { throw TokenError.locked }
    if now.flags & CKF_PROTECTED_AUTHENTICATION_PATH != 0 { return try await enter(nil) }
    let question = SecretQuestion.pin(token: now.label)
    let hasWrongPIN = isStoredPINWrong.withLock { $0 }
    if let pinFile {
      guard now.flags & CKF_USER_PIN_FINAL_TRY == 0 else { throw TokenError.lastTry }
      guard !hasWrongPIN else { throw TokenError.wrongPIN }
      return try await enterStored(try Self.pin(in: pinFile), enter)
    }
    if let pin = try await secrets.given(question) { return try await enter(pin) }

    let keyring = Keyring(secretService: secretService, token: now)
    var hint: String?
    if !hasWrongPIN, now.flags & CKF_USER_PIN_FINAL_TRY == 0, let pin = await keyring.pin() {
      do {
        return try await enterStored(pin, enter)
      } catch TokenError.wrongPIN {
        await keyring.forget()
        hint = "The PIN in the keyring was wrong and has been forgotten."
      }
    }
    if try await token().flags & CKF_USER_PIN_FINAL_TRY != 0 { hint = "One more wrong PIN locks the token." }
    guard let pin = try await secrets.ask(question, hint: hint) else {
      throw hint == nil ? KeyStoreError.secretNeeded(question) : TokenError.wrongPIN
    }
    try await enter(pin)
    if remembers { try await keyring.remember(pin) }
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
    guard let pin = SecretBytes(reading: descriptor, upTo: 256, endsAtLine: true), pin.count > 0 else {
      throw TokenError.pinSource("its first line is not a PIN")
    }
    return pin
  }
}

/// The PIN of one token in the Secret Service. A keyring that does not answer holds none: a person can still be asked.
private struct Keyring: Sendable {
  let secretService: @Sendable () async throws -> SecretService?
  let token: TokenLogin.Token

  private var attributes: [String: String] {
    ["xdg:schema": "org.tessera.TokenPIN", "token": token.label, "serial": token.serialNumber]
  }

  func pin() async -> SecretBytes? { try? await secretService()?.lookup(attributes) }

  /// Also where the asking task was cancelled meanwhile: a wrong PIN must not stay.
  func forget() async {
    _ = await Task { _ = try? await secretService()?.delete(attributes) }.value
  }

  func remember(_ pin: SecretBytes) async throws {
    try await secretService()?.store(pin, label: "PIN of the token \(token.label)", attributes: attributes)
  }
}
