/// The description of an error for the user: what happened, and what to do about it.
///
/// `cause` and `remedy` are one sentence each. Neither may contain personal data, key material or the content of
/// a data group; `details` holds machine-readable facts (a field name, a status word) under the same rule.
public struct Failure: Error, Sendable, Equatable {
  public var kind: FailureKind
  /// What happened.
  public var cause: String
  /// What the user can do, as an imperative sentence.
  public var remedy: String?
  public var details: [String: String]

  public init(_ kind: FailureKind, _ cause: String, remedy: String? = nil, details: [String: String] = [:]) {
    self.kind = kind
    self.cause = cause
    self.remedy = remedy
    self.details = details
  }

  /// Converts any error. An error of an unknown type becomes an internal error.
  public init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let convertible as any FailureConvertible: self = convertible.failure
    case is CancellationError: self = Failure(.cancelled, "The operation was cancelled.")
    default:
      // The description of a foreign error may quote its input, so the message contains only its type.
      self = Failure(
        .internalError, "An unexpected error of type \(type(of: error)) occurred.",
        remedy: "This is a defect in Tessera. Report it with the command or request that caused it.")
    }
  }
}

/// A typed error that converts to a `Failure`.
public protocol FailureConvertible: Error, CustomStringConvertible {
  var failure: Failure { get }
}

extension FailureConvertible {
  public var description: String { failure.cause }
}

extension Failure: CustomStringConvertible {
  /// The cause and the remedy as running text.
  public var description: String {
    guard let remedy else { return cause }
    return "\(cause) \(remedy)"
  }
}

/// The kind of a failure. The command line derives its exit status from it, the bridge its error code.
public enum FailureKind: String, Sendable, CaseIterable {
  /// A defect in Tessera.
  case internalError
  /// Wrong options, parameters or input files.
  case usage
  case malformedMRZ
  /// Several readers match the request.
  case ambiguousReader
  /// A system service or a device node is missing or refuses access.
  case serviceUnavailable
  /// No card reader is available.
  case noReader
  /// The system's devices cannot be listed.
  case deviceEnumerationFailed
  /// No force-feedback device is available.
  case noDevice
  /// No fingerprint reader is available.
  case noFingerprintReader
  /// No finger of this user is enrolled.
  case notEnrolled
  /// No contactless card was detected in time.
  case noCard
  /// No machine readable zone, or no seal, was read in a picture or in time.
  case noZone, noSeal
  /// The card does not support ISO/IEC 14443-4.
  case notSmartCard
  case notATravelDocument
  /// The chip refused the access key.
  case accessDenied
  case accessControlUnsupported
  /// The other end of a socket belongs to another user.
  case peerRejected
  /// The document was read, but a check failed.
  case checkFailed
  case cardLost
  /// The chip's response violates the protocol.
  case protocolViolation
  case keyNotFound
  case keyExists
  /// A token, a TPM, a PKCS#11 module or a daemon is missing.
  case keyStoreUnavailable
  /// The key store is present, but the operation failed: a damaged file, a token's error.
  case keyStoreFailed
  /// A PIN or a passphrase is wrong.
  case secretWrong
  /// A PIN or a passphrase is needed, and no prompt is possible or the prompt was dismissed.
  case secretNeeded
  /// The key store is locked after too many wrong PINs or passphrases.
  case keyStoreLocked
  /// The user did not confirm the operation.
  case confirmationRefused
  case keyNotExportable
  /// A storage folder, or the keyring with its encryption key, cannot be used.
  case storageUnavailable
  /// Stored data cannot be read.
  case storageFailed
  /// A quota or the disk is exhausted.
  case storageFull
  case cancelled
}
