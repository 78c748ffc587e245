import Failures

/// Why a key in the TPM could not be made or used. None of the cases carries a PIN or the content of a key.
public enum TPMError: Error, Sendable, Equatable {
  /// Nothing at the interface speaks as a TPM 2.0.
  case unavailable(Unavailability)
  /// The PIN is not the key's. The TPM counts the failures of keys that have one.
  case wrongPIN
  /// Too many wrong PINs: for some time the TPM refuses all keys that count them, also with the right PIN.
  case lockedOut
  /// The key needs a PIN and none was given.
  case pinNeeded
  /// A PIN of no bytes, or of zero bytes only: the TPM drops those at the end.
  case emptyPIN
  /// The PIN has more bytes than the key's hash function gives, which is what a TPM takes at most.
  case pinTooLong(limit: Int)
  /// The key's private part was not wrapped by the parent that this TPM has: it belongs to another TPM, the TPM was
  /// cleared, or the file was changed.
  case notThisTPM
  /// The owner hierarchy has a password, so that its primary key cannot be made.
  case ownerPasswordSet
  /// A digest that has not 32 bytes.
  case digestLength(Int)
  /// The key file cannot be decoded; the text names the part, never its content.
  case malformedKey(String)
  /// The key file is well-formed, and the key is of a kind that is not handled here.
  case unsupportedKey(String)
  /// The TPM's answer is not one to this command; the text names the part.
  case malformedAnswer(String)
  /// Any other refusal.
  ///
  /// - Parameters:
  ///   - code: `TSS2_RC`; `tpm2_rc_decode` explains it.
  ///   - operation: the command, by its name in TPM 2.0 Library, part 3.
  case tpm(code: UInt32, operation: String)

  /// What was found instead of a TPM.
  public enum Unavailability: Sendable, Equatable {
    /// No such device node.
    case noDevice(path: String)
    /// The device node is there, and this user may not open it.
    case accessDenied(path: String)
    /// The interface cannot be opened or has stopped answering.
    case noAnswer(interface: String)
  }
}

extension TPMError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .unavailable(.noDevice(let path)):
      Failure(
        .keyStoreUnavailable, "This machine has no TPM 2.0: \(path) does not exist.",
        remedy: "Switch the TPM (fTPM, PTT) on in the firmware, or name another one in TESSERA_TPM2_TCTI.")
    case .unavailable(.accessDenied(let path)):
      Failure(
        .keyStoreUnavailable, "This user may not open \(path).",
        remedy: "Join the group of the device and log in again: sudo usermod -aG tss \"$USER\"")
    case .unavailable(.noAnswer(let interface)):
      Failure(
        .keyStoreUnavailable, "No TPM answers at \"\(interface)\".",
        remedy: "See that it is running and that the TCTI library for it is installed "
          + "(apt-get install libtss2-tcti-device0 or libtss2-tcti-swtpm0).")
    case .wrongPIN:
      Failure(
        .secretWrong, "The PIN of the TPM key is wrong.",
        remedy: "Try again with the right one; after some wrong PINs the TPM locks.")
    case .lockedOut:
      Failure(
        .keyStoreLocked, "The TPM is locked after too many wrong PINs.",
        remedy: "Wait until it lets you try again (`tpm2_getcap properties-variable` shows LOCKOUT_INTERVAL in "
          + "seconds), or run `tpm2_dictionarylockout --clear-lockout` as the owner.")
    case .pinNeeded: Failure(.secretNeeded, "The TPM key needs its PIN.", remedy: "Give the PIN.")
    case .emptyPIN: Failure(.usage, "The PIN is empty.", remedy: "Give a PIN of at least one character, or none.")
    case .pinTooLong(let limit):
      Failure(
        .usage, "The PIN is too long for the TPM.", remedy: "Choose one of at most \(limit) bytes.",
        details: ["limit": "\(limit)"])
    case .notThisTPM:
      Failure(
        .keyStoreFailed, "The key was not made by this machine's TPM, or the TPM was cleared since.",
        remedy: "Use the key where it was made, or make a new one.")
    case .ownerPasswordSet:
      Failure(
        .keyStoreFailed, "The owner hierarchy of the TPM has a password.",
        remedy: "Take the password away with `tpm2_changeauth --object-context=owner --object-auth=PASSWORD`.")
    case .digestLength(let count):
      Failure(.usage, "A digest of \(count) bytes cannot be signed.", remedy: "Give a SHA-256 digest of 32 bytes.")
    case .malformedKey(let what):
      Failure(
        .keyStoreFailed, "The TPM key file is damaged: \(what).", remedy: "Restore it from a copy, or make a new key.")
    case .unsupportedKey(let what):
      Failure(
        .keyStoreFailed, "The TPM key cannot be used here: \(what).",
        remedy: "Make a P-256 signing key below the owner hierarchy.")
    case .malformedAnswer(let what):
      Failure(
        .keyStoreFailed, "The TPM's answer is malformed: \(what).",
        remedy: "Try again; if it stays so, look for a firmware update of the TPM.")
    case .tpm(let code, let operation):
      Failure(
        .keyStoreFailed, "The TPM refused \(operation) with code \(Self.hexadecimal(code)).",
        remedy: ResponseCode(code).isOutOfMemory
          ? "Another program left the TPM full: use /dev/tpmrm0, or run `tpm2_flushcontext --transient-object`."
          : "`tpm2_rc_decode \(Self.hexadecimal(code))` explains the code.",
        details: ["tpm": Self.hexadecimal(code), "operation": operation])
    }
  }

  private static func hexadecimal(_ code: UInt32) -> String { "0x" + String(code, radix: 16, uppercase: true) }
}
