package import Tessera

extension FailureKind {
  /// The exit status of `tessera`.
  package var exitStatus: Int32 {
    switch self {
    case .internalError: 1
    case .usage, .malformedMRZ, .ambiguousReader: 2
    case .serviceUnavailable, .deviceEnumerationFailed, .noReader, .noDevice, .noFingerprintReader, .notEnrolled,
      .noCard, .noZone, .noSeal, .notSmartCard,
      .notATravelDocument, .peerRejected:
      3
    case .accessDenied, .accessControlUnsupported: 4
    case .checkFailed: 5
    case .cardLost, .protocolViolation: 6
    case .keyNotFound, .keyExists, .keyStoreUnavailable, .keyStoreFailed, .secretWrong, .secretNeeded, .keyStoreLocked,
      .confirmationRefused, .keyNotExportable, .storageUnavailable, .storageFailed, .storageFull:
      7
    case .cancelled: 130  // 128 + SIGINT: the status that a shell expects of an interrupted program
    }
  }
}
