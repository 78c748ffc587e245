public import Failures

/// Why a PKCS#11 token could not do it. No case holds a PIN.
public enum TokenError: Error, Sendable, Equatable {
  /// The URI cannot be used; the text says why.
  case badURI(String)
  /// A module cannot be loaded, or does not start.
  case module(String)
  /// No token fits the URI.
  case noToken
  /// Several do.
  case ambiguousToken([String])
  /// Several keys have this label.
  case ambiguousKey
  case wrongPIN
  case locked
  case pinNotSet
  /// One try is left, and the PIN would be a stored one.
  case lastTry
  /// The token's PIN source cannot be read.
  case pinSource(String)
  case removed
  /// Any other return value (PKCS#11 v2.40, 11.1).
  case returned(UInt, operation: String, text: String)
}

extension TokenError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .badURI(let reason):
      Failure(
        .usage, "The pkcs11: URI cannot be used: \(reason).",
        remedy: "For example: pkcs11:token=work?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=file:/run/pin")
    case .module(let reason):
      Failure(
        .keyStoreUnavailable, "The PKCS#11 module cannot be used: \(reason).",
        remedy: "Check module-path in the URI, or `p11-kit list-modules` without one.")
    case .noToken:
      Failure(
        .keyStoreUnavailable, "There is no token that fits the URI.",
        remedy: "Plug it in; `p11tool --list-token-urls` or `pkcs11-tool -L` shows those that are there.")
    case .ambiguousToken(let labels):
      Failure(
        .usage, "Several tokens fit the URI: \(labels.joined(separator: ", ")).",
        remedy: "Add token= or serial= to the URI.")
    case .ambiguousKey:
      Failure(.keyStoreFailed, "Several keys of the token have this name.", remedy: "Add id= to the URI.")
    case .wrongPIN:
      Failure(.secretWrong, "The PIN of the token is wrong.", remedy: "Too many wrong ones lock the token.")
    case .locked:
      Failure(
        .keyStoreLocked, "The token is locked after too many wrong PINs.",
        remedy: "Unlock it with its security officer's PIN or PUK, by the maker's tool.")
    case .pinNotSet:
      Failure(
        .keyStoreFailed, "The token has no PIN yet.",
        remedy: "Set one by the maker's tool, or `pkcs11-tool --init-pin`.")
    case .lastTry:
      Failure(
        .secretNeeded, "One more wrong PIN locks the token, so a stored one is not tried.",
        remedy: "Leave pin-source out of the URI and give the PIN in a terminal or by --passphrase-fd.")
    case .pinSource(let reason):
      Failure(
        .usage, "The URI's pin-source cannot be used: \(reason).", remedy: "Name a file: pin-source=file:/run/pin")
    case .removed:
      Failure(.keyStoreUnavailable, "The token was removed.", remedy: "Plug it in again.")
    case .returned(let value, let operation, let text):
      Failure(
        .keyStoreFailed, "The token failed in \(operation): \(text).",
        remedy: "See the maker's documentation of 0x\(String(value, radix: 16)).")
    }
  }
}
