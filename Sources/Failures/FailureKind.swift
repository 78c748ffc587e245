/// The one table of failures. A row is a Swift case, its stable code, the exit status of the command line and
/// the `error.code` of the bridge: four views of the same thing.
public enum FailureKind: String, Sendable, CaseIterable {
  case internalError
  case usage
  case malformedMRZ
  case ambiguousReader
  case serviceUnavailable
  case noReader
  /// Of another kind than readers: nothing that rumbles.
  case noDevice
  case noCard
  case notSmartCard
  case notATravelDocument
  case accessDenied
  case accessControlUnsupported
  case checkFailed
  case cardLost
  case protocolViolation
  case keyNotFound
  case keyExists
  /// A token, a TPM, a module or a daemon that is not there.
  case keyStoreUnavailable
  /// It is there and did not do what it was asked for: a damaged file, a token's refusal.
  case keyStoreFailed
  /// A PIN or a passphrase is wrong.
  case secretWrong
  /// A PIN or a passphrase is needed, and nobody can be asked for it.
  case secretNeeded
  /// Too many wrong ones.
  case keyStoreLocked
  case confirmationRefused
  case keyNotExportable
  /// A folder, or the keyring that opens it, cannot be used.
  case storageUnavailable
  /// What is stored there cannot be read.
  case storageFailed
  /// There is no room for more, by our limits or the disk's.
  case storageFull
  case cancelled

  /// The exit status of `tessera`.
  public var exitStatus: Int32 {
    switch self {
    case .internalError: 1
    case .usage, .malformedMRZ, .ambiguousReader: 2
    case .serviceUnavailable, .noReader, .noDevice, .noCard, .notSmartCard, .notATravelDocument: 3
    case .accessDenied, .accessControlUnsupported: 4
    case .checkFailed: 5
    case .cardLost, .protocolViolation: 6
    case .keyNotFound, .keyExists, .keyStoreUnavailable, .keyStoreFailed, .secretWrong, .secretNeeded, .keyStoreLocked,
      .confirmationRefused, .keyNotExportable, .storageUnavailable, .storageFailed, .storageFull:
      7
    case .cancelled: 130  // 128 + SIGINT, what a shell expects of an interrupted program
    }
  }

  /// Whether the machine and its settings are behind it, and neither the request nor the document: what content is not told,
  /// and the person who runs the service can mend.
  public var isOfTheMachine: Bool {
    switch self {
    case .internalError, .ambiguousReader, .serviceUnavailable, .noReader, .noDevice, .keyStoreUnavailable,
      .keyStoreFailed, .keyStoreLocked, .secretWrong, .secretNeeded, .storageUnavailable, .storageFailed:
      true
    case .usage, .malformedMRZ, .noCard, .notSmartCard, .notATravelDocument, .accessDenied, .accessControlUnsupported,
      .checkFailed, .cardLost, .protocolViolation, .keyNotFound, .keyExists, .confirmationRefused, .keyNotExportable,
      .storageFull, .cancelled:
      false
    }
  }

  /// The `error.code` of the web bridge.
  public var bridgeCode: String {
    switch self {
    case .internalError, .storageUnavailable, .storageFailed: "INTERNAL_ERROR"
    case .storageFull: "STORAGE_FULL"
    case .usage: "INVALID_PARAMS"
    case .serviceUnavailable: "NFC_NOT_ENABLED"
    case .noReader: "NFC_NOT_SUPPORTED"
    case .notSmartCard: "NFC_NOT_ISO_DEP"
    case .accessDenied, .accessControlUnsupported: "AUTH_FAILED"
    case .malformedMRZ, .ambiguousReader, .noCard, .notATravelDocument, .checkFailed, .cardLost, .protocolViolation:
      "NFC_SCAN_FAILED"
    case .keyNotFound: "KEY_NOT_FOUND"
    case .keyExists: "KEY_ALREADY_EXISTS"
    case .keyStoreUnavailable, .noDevice: "NOT_CONFIGURED"
    case .secretWrong, .secretNeeded, .keyStoreLocked, .confirmationRefused: "AUTH_FAILED"
    case .keyStoreFailed, .keyNotExportable: "SIGN_FAILED"
    case .cancelled: "SCAN_ABORTED"
    }
  }

  /// The kind behind a code that a handler gave by itself. Everything that is not named here is a request that was
  /// not understood.
  public init(bridgeCode: String) {
    switch bridgeCode {
    // A device that is in use is none for now.
    case "NOT_CONFIGURED", "NFC_BUSY", "CAMERA_BUSY": self = .noReader
    case "PARSE_ERROR": self = .internalError
    default: self = Self.allCases.first { $0.bridgeCode == bridgeCode } ?? .usage
    }
  }
}
