public import TesseraCore

/// An error of a PKCS#11 token. No case contains a PIN.
public enum TokenError: Error, Sendable, Equatable {
  /// The URI is unusable; the text is the reason.
  case badURI(String)
  /// A module cannot be loaded or initialised.
  case module(String)
  /// No token matches the URI.
  case noToken
  /// Several tokens match the URI.
  case ambiguousToken([String])
  /// Several keys have this label.
  case ambiguousKey
  case wrongPIN
  case locked
  case pinNotSet
  /// One attempt is left before the token locks, so a stored PIN is not tried.
  case lastTry
  /// The PIN source is unreadable; the text is the reason.
  case pinSource(String)
  case removed
  /// Another return value (PKCS#11 v2.40, 11.1).
  case returned(UInt, operation: String, text: String)
}

extension TokenError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .badURI(let reason):
      Failure(
        .usage, "The pkcs11: URI is unusable: \(reason).",
        remedy:
          "Use a URI such as pkcs11:token=work?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=file:/run/pin")
    case .module(let reason):
      Failure(
        .keyStoreUnavailable, "The PKCS#11 module is unusable: \(reason).",
        remedy: "Check module-path in the URI; without one, check `p11-kit list-modules`.")
    case .noToken:
      Failure(
        .keyStoreUnavailable, "No token matches the URI.",
        remedy: "Connect the token; `p11tool --list-token-urls` or `pkcs11-tool -L` lists the connected tokens.")
    case .ambiguousToken(let labels):
      Failure(
        .usage, "Several tokens match the URI: \(labels.joined(separator: ", ")).",
        remedy: "Add token= or serial= to the URI.")
    case .ambiguousKey:
      Failure(.keyStoreFailed, "Several keys in the token have this name.", remedy: "Add id= to the URI.")
    case .wrongPIN:
      Failure(.secretWrong, "The PIN of the token is wrong.", remedy: "Try again. Too many wrong PINs lock the token.")
    case .locked:
      Failure(
        .keyStoreLocked, "The token is locked after too many wrong PINs.",
        remedy: "Unlock it with the security officer PIN or the PUK, using the tool of the manufacturer.")
    case .pinNotSet:
      Failure(
        .keyStoreFailed, "The user PIN of the token is not set.",
        remedy: "Set it with `pkcs11-tool --init-pin` or the tool of the manufacturer.")
    case .lastTry:
      Failure(
        .secretNeeded, "One more wrong PIN locks the token, so the stored PIN is not tried.",
        remedy: "Remove pin-source from the URI, and enter the PIN.")
    case .pinSource(let reason):
      Failure(
        .usage, "The pin-source of the URI is unusable: \(reason).", remedy: "Use a file: pin-source=file:/run/pin")
    case .removed:
      Failure(.keyStoreUnavailable, "The token was removed.", remedy: "Connect it again.")
    case .returned(let value, let operation, let text):
      Failure(
        .keyStoreFailed, "The token failed in \(operation): \(text).",
        remedy: "Look up the code 0x\(String(value, radix: 16)) in the documentation of the manufacturer.")
    }
  }
}
