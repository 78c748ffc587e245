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
  /// No finger of this person is enrolled.
  case notEnrolled
  /// No contactless card was detected in time.
  case noCard
  /// No machine readable zone was read in a picture or in time.
  case noZone
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

  /// Whether the host and its configuration cause the failure, rather than the request or the document.
  ///
  /// Web content receives no details of such a failure; the service logs them for its administrator.
  package var isHostFault: Bool {
    switch self {
    case .internalError, .ambiguousReader, .serviceUnavailable, .deviceEnumerationFailed, .noReader, .noDevice,
      .noFingerprintReader, .notEnrolled,
      .keyStoreUnavailable, .keyStoreFailed, .keyStoreLocked, .secretWrong, .secretNeeded, .storageUnavailable,
      .storageFailed:
      true
    case .usage, .malformedMRZ, .noCard, .noZone, .notSmartCard, .notATravelDocument, .accessDenied,
      .accessControlUnsupported,
      .peerRejected, .checkFailed, .cardLost, .protocolViolation, .keyNotFound, .keyExists, .confirmationRefused,
      .keyNotExportable, .storageFull, .cancelled:
      false
    }
  }
}
