import Glibc
import TesseraCore
import TesseraCryptography

/// An error of a TPM key. No case contains a PIN or a private key.
package enum TPMError: Error, Sendable, Equatable {
  /// No TPM 2.0 is available at the interface.
  case unavailable(Unavailability)
  /// The PIN is wrong. The TPM counts the failures.
  case wrongPIN
  /// Dictionary-attack lockout: after too many wrong PINs, the TPM temporarily refuses all keys with a PIN.
  case lockedOut
  /// The key requires a PIN.
  case pinNeeded
  /// The PIN is empty, or consists of zero bytes only, which the TPM removes from the end.
  case emptyPIN
  /// The PIN is longer than the digest of the key's hash function, which is the limit of a TPM.
  case pinTooLong(limit: Int)
  /// The parent key of this TPM did not wrap the key: it belongs to another TPM, the TPM was cleared, or the file was
  /// changed.
  case notThisTPM
  /// The owner hierarchy has a password, so its primary key cannot be created.
  case ownerPasswordSet
  /// The digest is not 32 bytes long.
  case digestLength(Int)
  /// The key file cannot be decoded; the text names the part, never its content.
  case malformedKey(String)
  /// The key is well-formed, but of an unsupported kind.
  case unsupportedKey(String)
  /// The response of the TPM is malformed; the text names the part.
  case malformedResponse(String)
  /// Any other error code.
  ///
  /// - Parameters:
  ///   - code: `TSS2_RC`; `tpm2_rc_decode` explains it.
  ///   - operation: the command, by its name in TPM 2.0 Library, part 3.
  case tpm(code: UInt32, operation: String)

  /// The reason why no TPM is available.
  package enum Unavailability: Sendable, Equatable {
    /// The device node does not exist.
    case noDevice(path: String)
    /// The device node exists, but this user has no access.
    case accessDenied(path: String)
    /// The interface cannot be opened, or stopped responding.
    case noResponse(interface: String)
  }
}

extension TPMError: LocalizedFailure {
  package var failure: Failure {
    switch self {
    case .unavailable(.noDevice(let path)):
      Failure(
        .keyStoreUnavailable, "This machine has no TPM 2.0: \(path) does not exist.",
        remedy: "Enable the TPM (fTPM, PTT) in the firmware, or specify another one in TESSERA_TPM2_TCTI.")
    case .unavailable(.accessDenied(let path)):
      Failure(
        .keyStoreUnavailable, "This user has no access to \(path).",
        remedy: "Join the group of the device and log in again: sudo usermod -aG tss \"$USER\"")
    case .unavailable(.noResponse(let interface)):
      Failure(
        .keyStoreUnavailable, "No TPM responds at \"\(interface)\".",
        remedy: Self.remedy(ofSilent: interface))
    case .wrongPIN:
      Failure(
        .secretWrong, "The PIN of the TPM key is wrong.",
        remedy: "Try again. Too many wrong PINs lock the TPM.")
    case .lockedOut:
      Failure(
        .keyStoreLocked, "The TPM is locked after too many wrong PINs, or after several power failures.",
        remedy: "Wait for the lockout interval (`tpm2_getcap properties-variable` shows LOCKOUT_INTERVAL in seconds), "
          + "or run `tpm2_dictionarylockout --clear-lockout` as the owner.")
    case .pinNeeded: Failure(.secretNeeded, "The TPM key requires its PIN.", remedy: "Provide the PIN.")
    case .emptyPIN: Failure(.usage, "The PIN is empty.", remedy: "Choose a PIN of at least one character, or use none.")
    case .pinTooLong(let limit):
      Failure(
        .usage, "The PIN is too long for the TPM.", remedy: "Choose a PIN of at most \(limit) bytes.",
        details: ["limit": "\(limit)"])
    case .notThisTPM:
      Failure(
        .keyStoreFailed, "The key belongs to another TPM, or the TPM was cleared.",
        remedy: "Use the key on the machine where it was generated, or generate a new one.")
    case .ownerPasswordSet:
      Failure(
        .keyStoreFailed, "The owner hierarchy of the TPM has a password.",
        remedy: "Remove the password with `tpm2_changeauth --object-context=owner --object-auth=PASSWORD`.")
    case .digestLength(let count):
      Failure(.usage, "A digest of \(count) bytes cannot be signed.", remedy: "Use a SHA-256 digest of 32 bytes.")
    case .malformedKey(let what):
      Failure(
        .keyStoreFailed, "The TPM key file is damaged: \(what).",
        remedy: "Restore it from a backup, or generate a new key.")
    case .unsupportedKey(let what):
      Failure(
        .keyStoreFailed, "The TPM key is not supported: \(what).",
        remedy: "Generate a P-256 signing key below the owner hierarchy.")
    case .malformedResponse(let what):
      Failure(
        .keyStoreFailed, "The response of the TPM is malformed: \(what).",
        remedy: "Try again. If the error persists, update the firmware of the TPM.")
    case .tpm(let code, let operation):
      Failure(
        .keyStoreFailed, "\(operation) failed in the TPM with code \(Self.hexadecimal(code)).",
        remedy: Self.remedy(ResponseCode(code)) ?? "Run `tpm2_rc_decode \(Self.hexadecimal(code))` for an explanation.",
        details: ["tpm": Self.hexadecimal(code), "operation": operation])
    }
  }

  /// - Parameter interface: `NAME` or `NAME:CONFIGURATION`. tpm2-tss loads the library of the name (TCTI), which is a
  ///   package of its own.
  private static func remedy(ofSilent interface: String) -> String {
    let name = interface.prefix { $0 != ":" }
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
      return "Check the interface, and that the TPM is running."
    }
    guard let library = dlopen("libtss2-tcti-\(name).so.0", RTLD_LAZY) else {
      return "Install the library of this interface: apt-get install libtss2-tcti-\(name)0"
    }
    dlclose(library)
    return "Check that it is running."
  }

  private static func remedy(_ code: ResponseCode) -> String? {
    if code.isNotStarted { return "The TPM was not started: run `tpm2_startup --clear`." }
    if code.isOutOfObjects {
      return "Use /dev/tpmrm0, or free the slots of other programs with `tpm2_flushcontext --transient-object`."
    }
    if code.isOutOfSessions {
      return "Use /dev/tpmrm0, or free the sessions of other programs with `tpm2_flushcontext --loaded-session`."
    }
    return nil
  }

  private static func hexadecimal(_ code: UInt32) -> String { "0x" + String(code, radix: 16, uppercase: true) }
}
