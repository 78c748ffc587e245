import TesseraCore
import TesseraSmartCard

/// An error in communication with a travel document's chip.
public enum PassportError: Error, Sendable, Equatable {
  /// The chip has no eMRTD application.
  case applicationNotFound(StatusWord)
  /// The chip requires an access key, but none was given.
  case accessKeyRequired
  /// The access key is a CAN, which is for PACE, but PACE was skipped or the chip does not offer it.
  case accessKeyUnsuitable
  /// The chip supports PACE only, which was skipped, or which it offers in unsupported variants only.
  case accessControlUnsupported
  /// The chip refused the key.
  case accessDenied(AccessProtocol, StatusWord)
  /// PACE failed.
  case pace(PACEError)
  /// The given challenge for Active Authentication does not have 8 bytes.
  case challengeLength(Int)
  /// A status word that the protocol does not allow at this point.
  case unexpectedStatus(operation: String, StatusWord)
  case malformedResponse(operation: String)
  /// Secure messaging ended; no further command may be sent.
  case secureMessaging(SecureMessagingError)
  case fileUnavailable(ElementaryFile, StatusWord)
  /// A required file was not read; the text is the reason, a sentence.
  case fileMissing(ElementaryFile, String)
  /// The chip returned fewer bytes than the file's own length field states.
  case fileTruncated(ElementaryFile, expected: Int, received: Int)
  case fileTooLong(ElementaryFile, Int)
  case fileMalformed(ElementaryFile, String)
  /// After an interruption, another document was on the reader.
  case otherDocument
}

/// The access control protocols of Doc 9303-11, 4.
public enum AccessProtocol: String, Sendable, Equatable {
  case none
  case bac = "BAC"
  case pace = "PACE"
}

extension PassportError {
  /// For an error that may be gone after the chip was powered again.
  static let retryRemedy = "Remove the document from the reader, place it on the reader again, and retry."
  /// For a chip that will answer the same next time.
  private static let faultyChip = "The chip is faulty: check the document without it, by its printed pages."
}

extension PassportError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .applicationNotFound(.none):
      Failure(
        .notATravelDocument, "The card has no travel document application: its answer to SELECT is malformed.",
        remedy: "Place the passport on the reader without any other card.")
    case .applicationNotFound(let status):
      Failure(
        .notATravelDocument, "The card has no travel document application (status \(status)).",
        remedy: "Place the passport on the reader without any other card.", details: ["status": "\(status)"])
    case .accessKeyRequired:
      Failure(
        .usage, "The chip requires an access key, but none was given.",
        remedy: "Provide the MRZ, or document number, date of birth and date of expiry.")
    case .accessKeyUnsuitable:
      Failure(
        .usage,
        "A card access number is for PACE, which this chip does not offer or which was skipped; Basic Access Control "
          + "needs the MRZ.",
        remedy: "Provide the MRZ, or document number, date of birth and date of expiry.")
    case .accessControlUnsupported:
      Failure(
        .accessControlUnsupported, "The chip does not support Basic Access Control, and PACE was not run.",
        remedy: "Retry without skipping PACE.")
    case .accessDenied(let access, let status):
      Failure(
        .accessDenied, "The chip refused the key derived from this MRZ (\(access.rawValue), status \(status)).",
        remedy: "Compare document number, date of birth and date of expiry with the document on the reader.",
        details: ["protocol": access.rawValue, "status": "\(status)"])
    case .pace(let error): error.failure
    case .challengeLength(let count):
      Failure(
        .usage, "The challenge of Active Authentication has \(count) bytes.",
        remedy: "Provide a challenge of 8 bytes, or none.")
    case .unexpectedStatus(let operation, let status):
      Failure(
        .protocolViolation, "The chip answered \(operation) with status \(status).",
        remedy: Self.retryRemedy, details: ["status": "\(status)"])
    case .malformedResponse(let operation):
      Failure(
        .protocolViolation, "The chip's response to \(operation) is malformed.",
        remedy: Self.retryRemedy)
    case .secureMessaging(let error): error.failure
    case .fileUnavailable(.dg1, .securityStatusNotSatisfied):
      Failure(
        .accessControlUnsupported,
        "The chip accepted the key, and does not return DG1 (status \(StatusWord.securityStatusNotSatisfied)): it may keep its "
          + "data for authorised terminals, as the identity card of Germany does.",
        remedy:
          "Try again. If that does not help, use another document of the holder, such as the passport, or check this "
          + "one without its chip.",
        details: ["file": ElementaryFile.dg1.name, "status": "\(StatusWord.securityStatusNotSatisfied)"])
    case .fileUnavailable(let file, let status):
      Failure(
        .protocolViolation, "The chip does not return \(file.name) (status \(status)).",
        remedy: Self.retryRemedy,
        details: ["file": file.name, "status": "\(status)"])
    case .fileMissing(let file, let reason):
      Failure(
        .protocolViolation, "\(file.name) was not read. \(reason)",
        remedy: Self.retryRemedy,
        details: ["file": file.name])
    case .fileTruncated(let file, let expected, let received):
      Failure(
        .protocolViolation, "\(file.name) ended after \(received) of \(expected) bytes.",
        remedy: Self.faultyChip, details: ["file": file.name])
    case .fileTooLong(let file, let length):
      Failure(
        .protocolViolation, "\(file.name) states a length of \(length) bytes, more than any document has.",
        remedy: Self.faultyChip,
        details: ["file": file.name])
    case .otherDocument:
      Failure(
        .cardLost, "The document was removed, and another document was placed on the reader.",
        remedy: "Leave the document on the reader until the read has ended.")
    case .fileMalformed(let file, let reason):
      Failure(
        .protocolViolation, "\(file.name) is malformed: \(reason).",
        remedy: Self.faultyChip,
        details: ["file": file.name])
    }
  }
}

/// Here, since TesseraSmartCard has no Foundation.
extension CardError: LocalizedFailure {}
