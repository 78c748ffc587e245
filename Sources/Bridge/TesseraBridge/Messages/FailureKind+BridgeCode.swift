import TesseraCore

extension FailureKind {
  /// The `error.code` of the bridge protocol, section Errors.
  package var bridgeCode: String {
    switch self {
    case .internalError, .storageUnavailable, .storageFailed: "INTERNAL_ERROR"
    case .storageFull: "STORAGE_FULL"
    case .usage: "INVALID_PARAMS"
    case .serviceUnavailable: "NFC_NOT_ENABLED"
    case .noReader: "NFC_NOT_SUPPORTED"
    case .notSmartCard: "NFC_NOT_ISO_DEP"
    case .malformedMRZ, .ambiguousReader, .noCard, .notATravelDocument, .checkFailed, .cardLost, .protocolViolation:
      "NFC_SCAN_FAILED"
    case .noZone: "MRZ_SCAN_FAILED"
    case .noSeal: "SEAL_SCAN_FAILED"
    case .accessDenied, .accessControlUnsupported: "AUTH_FAILED"
    case .secretWrong, .secretNeeded, .keyStoreLocked, .confirmationRefused: "AUTH_FAILED"
    case .keyNotFound: "KEY_NOT_FOUND"
    case .keyExists: "KEY_ALREADY_EXISTS"
    case .keyStoreUnavailable, .noDevice, .noFingerprintReader, .deviceEnumerationFailed: "NOT_CONFIGURED"
    case .peerRejected: "NOT_ALLOWED"
    case .notEnrolled: "NOT_ENROLLED"
    case .keyStoreFailed, .keyNotExportable: "SIGN_FAILED"
    case .cancelled: "SCAN_ABORTED"
    }
  }

  /// The kind of an error of which only the code is known. Several kinds share a code: the first one in the order of
  /// declaration is chosen. A code without a kind becomes `usage`.
  package init(bridgeCode: String) {
    switch bridgeCode {
    // A device that is in use counts as missing.
    case "NOT_CONFIGURED", "NFC_BUSY", "CAMERA_BUSY": self = .noReader
    case "PARSE_ERROR": self = .internalError
    default: self = Self.allCases.first { $0.bridgeCode == bridgeCode } ?? .usage
    }
  }

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
    case .usage, .malformedMRZ, .noCard, .noZone, .noSeal, .notSmartCard, .notATravelDocument, .accessDenied,
      .accessControlUnsupported,
      .peerRejected, .checkFailed, .cardLost, .protocolViolation, .keyNotFound, .keyExists, .confirmationRefused,
      .keyNotExportable, .storageFull, .cancelled:
      false
    }
  }
}
