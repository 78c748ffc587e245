import TesseraCore

/// The `error` of a failed response.
public struct BridgeError: Error, Sendable, Equatable {
  /// One of the protocol's codes, `SCREAMING_SNAKE_CASE`.
  public let code: String
  public let message: String
  public let details: JSONValue?
  /// The underlying failure, for callers in this process. Not part of the message.
  public let failure: Failure?

  public init(_ code: String, _ message: String, details: JSONValue? = nil, failure: Failure? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.failure = failure
  }

  /// The error of the protocol for any error. A `BridgeError` is unchanged.
  public init(_ error: any Error) {
    if let coded = error as? BridgeError {
      self = coded
      return
    }
    let failure = Failure(error)
    self.init(failure.kind.bridgeCode, failure.cause, failure: failure)
  }

  /// The error of a provider with a code of its domain. Local programs receive the cause. Web content receives it for
  /// invalid requests only, otherwise `message`: the cause may reveal paths and devices.
  init(_ code: String, behind error: any Error, for caller: Caller, otherwise message: String) {
    if let coded = error as? BridgeError {
      self = coded
      return
    }
    let failure = Failure(error)
    let showsCause = caller == .local || failure.kind == .usage
    self.init(code, showsCause ? failure.cause : message, failure: failure)
  }

  static func notConfigured(_ provider: String) -> BridgeError {
    BridgeError("NOT_CONFIGURED", "No \(provider) provider is registered.")
  }

  /// The names of methods are public, so that callers without a grant learn them, too.
  package static func methodNotFound(_ request: BridgeRequest) -> BridgeError {
    let methods = request.domain.methods
    let name = request.method.quotedName.map { "method \($0)" } ?? "such method"
    return BridgeError(
      methodNotFoundCode,
      "\(request.domain.rawValue) has no \(name).\(NearNames.hint(request.method, in: methods))")
  }

  package static let methodNotFoundCode = "METHOD_NOT_FOUND"
}

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
