public import TesseraCore

/// An error of a PKCS#11 token. No case contains a PIN.
public enum TokenError: Error, Sendable, Equatable {
  /// The URI is unusable; the text is the reason.
  case badURI(String)
  /// A module cannot be loaded or initialised.
  case module(String)
  /// No token matches the URI.
  case noToken
  /// No token matches the URI, and p11-kit could not initialise these modules.
  case noTokenAndUnusableModules([String])
  /// Several tokens match the URI.
  case ambiguousToken([String])
  /// Several keys have this label.
  case ambiguousKey
  case wrongPIN
  case locked
  /// The TPM behind the token takes no PIN for some time.
  case lockedByTPM
  case pinNotSet
  /// One attempt is left before the token locks, so a stored PIN is not tried.
  case lastTry
  /// The PIN source is unreadable; the text is the reason.
  case pinSource(String)
  case removed
  /// The token, or what gives access to it, allows no change.
  case writeProtected
  /// The token cannot generate keys on elliptic curves.
  case noEllipticCurves
  /// A new pair could not be read back, or its signature does not verify. It was deleted.
  case unusablePair
  /// The key that the URI names by its id has another name.
  case otherName(String)
  /// Another return value (PKCS#11 v2.40, 11.1).
  case returned(UInt, operation: String, text: String)
}

extension TokenError: LocalizedFailure {
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
    case .noTokenAndUnusableModules(let names):
      Failure(
        .keyStoreUnavailable,
        "No token matches the URI, and these modules of p11-kit cannot be initialised: \(names.joined(separator: ", ")).",
        remedy:
          "If the token is one of theirs, check what the module needs: its daemon, its configuration, a folder that "
          + "it may write. Otherwise connect the token; `pkcs11-tool -L` lists the connected tokens.")
    case .ambiguousToken(let labels):
      Failure(
        .usage, "Several tokens match the URI: \(labels.joined(separator: ", ")).",
        remedy: "Add token= or serial= to the URI, or ?module-name= behind it if two modules show the same token.")
    case .ambiguousKey:
      Failure(
        .keyStoreFailed, "Several keys in the token have this name or id.",
        remedy: "Add id= to the URI; `pkcs11-tool -O --login` lists the ids.")
    case .wrongPIN:
      Failure(.secretWrong, "The PIN of the token is wrong.", remedy: "Try again. Too many wrong PINs lock the token.")
    case .locked:
      Failure(
        .keyStoreLocked, "The token is locked after too many wrong PINs.",
        remedy: "Unlock it with the security officer PIN or the PUK, using the tool of the manufacturer.")
    case .lockedByTPM:
      Failure(
        .keyStoreLocked, "The TPM behind the token takes no PIN for some time, after too many wrong ones.",
        remedy: "Wait, or end the lockout with `tpm2_dictionarylockout --clear-lockout`, which needs its password.")
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
    case .writeProtected:
      Failure(
        .keyStoreFailed, "The token is write-protected.",
        remedy: "Sign with the keys that it contains, or generate and delete keys where it can be changed.")
    case .noEllipticCurves:
      Failure(
        .keyStoreFailed, "The token cannot generate P-256 keys.",
        remedy: "Use a token with elliptic curves; `pkcs11-tool -M` lists EC-KEY-PAIR-GEN for it.")
    case .unusablePair:
      Failure(
        .keyStoreFailed, "The token generated a key that it cannot use. The key was deleted.",
        remedy: "Use another token, or another version of its module.")
    case .otherName(let name):
      Failure(
        .usage, "The key with the id of the URI has another name: \(PrintableText.of(name)).",
        remedy: "Use this name, or another id.")
    case .returned(let value, let operation, let text):
      Failure(
        .keyStoreFailed, "The token failed in \(operation): \(text).",
        remedy: "Look up the code 0x\(String(value, radix: 16)) in the documentation of the manufacturer.")
    }
  }
}
