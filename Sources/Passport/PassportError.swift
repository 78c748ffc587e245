import Failures
import SmartCard

/// What can go wrong in the conversation with a travel document's chip.
public enum PassportError: Error, Sendable, Equatable {
  /// The chip has no eMRTD application.
  case applicationNotFound(StatusWord)
  /// The chip wants a key and none was given.
  case accessKeyRequired
  /// The key given is for PACE (a CAN), which is not done with this chip.
  case accessKeyUnsuitable
  /// The chip opens by PACE only, which was to be skipped or is offered in an unknown form only.
  case accessControlUnsupported
  /// The chip refused the key.
  case accessDenied(AccessProtocol, StatusWord)
  /// PACE did not open the chip.
  case pace(PACEError)
  /// A challenge for Active Authentication that does not have 8 bytes was asked for.
  case challengeLength(Int)
  /// An answer that the protocol does not allow at this place.
  case unexpectedStatus(operation: String, StatusWord)
  case malformedResponse(operation: String)
  /// Secure messaging ended; nothing may be sent after that.
  case secureMessaging(SecureMessagingError)
  case fileUnavailable(ElementaryFile, StatusWord)
  /// A file that is needed was not read; the text is the reason, a sentence.
  case fileMissing(ElementaryFile, String)
  /// The chip delivered fewer bytes than the file's own length field says.
  case fileTruncated(ElementaryFile, expected: Int, received: Int)
  case fileTooLong(ElementaryFile, Int)
  case fileMalformed(ElementaryFile, String)
  /// After a loss, another document was laid on.
  case otherDocument
}

/// The access control protocols of Doc 9303-11, 4.
public enum AccessProtocol: String, Sendable, Equatable {
  case none
  case bac = "BAC"
  case pace = "PACE"
}

extension PassportError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .applicationNotFound(let status):
      Failure(
        .notATravelDocument, "The card has no travel document application (status \(status)).",
        remedy: "Lay the passport on the reader, and no other card with it.", details: ["status": "\(status)"])
    case .accessKeyRequired:
      Failure(
        .usage, "The chip wants an access key and none was given.",
        remedy: "Give --mrz, or --document-number, --date-of-birth and --date-of-expiry.")
    case .accessKeyUnsuitable:
      Failure(
        .usage,
        "A card access number opens a chip by PACE, which this chip does not offer or which was to be skipped; "
          + "Basic Access Control needs the MRZ.",
        remedy: "Give --mrz, or --document-number, --date-of-birth and --date-of-expiry.")
    case .accessControlUnsupported:
      Failure(
        .accessControlUnsupported, "The chip does not open by Basic Access Control, and PACE was not done.",
        remedy: "Repeat without --skip-pace.")
    case .accessDenied(let access, let status):
      Failure(
        .accessDenied, "The chip refused the key derived from this MRZ (\(access.rawValue), status \(status)).",
        remedy: "Compare document number, date of birth and date of expiry with the document on the reader.",
        details: ["protocol": access.rawValue, "status": "\(status)"])
    case .pace(let error): error.failure
    case .challengeLength(let count):
      Failure(
        .usage, "The challenge of Active Authentication has \(count) bytes.", remedy: "Give one of 8 bytes, or none.")
    case .unexpectedStatus(let operation, let status):
      Failure(
        .protocolViolation, "The chip answered \(operation) with status \(status).",
        remedy: "Take the document off the reader, lay it on again and repeat.", details: ["status": "\(status)"])
    case .malformedResponse(let operation):
      Failure(
        .protocolViolation, "The chip's answer to \(operation) is malformed.",
        remedy: "Take the document off the reader, lay it on again and repeat.")
    case .secureMessaging(let error): error.failure
    case .fileUnavailable(let file, let status):
      Failure(
        .protocolViolation, "The chip does not deliver \(file.name) (status \(status)).",
        remedy: "Take the document off the reader, lay it on again and repeat.",
        details: ["file": file.name, "status": "\(status)"])
    case .fileMissing(let file, let reason):
      Failure(
        .protocolViolation, "\(file.name) was not read. \(reason)",
        remedy: "Take the document off the reader, lay it on again and repeat.",
        details: ["file": file.name])
    case .fileTruncated(let file, let expected, let received):
      Failure(
        .protocolViolation, "\(file.name) ended after \(received) of \(expected) bytes.",
        remedy: "Take the document off the reader, lay it on again and repeat.", details: ["file": file.name])
    case .fileTooLong(let file, let length):
      Failure(
        .protocolViolation, "\(file.name) claims a length of \(length) bytes, more than any document holds.",
        remedy: "Take the document off the reader, lay it on again and repeat.",
        details: ["file": file.name])
    case .otherDocument:
      Failure(
        .cardLost, "The document left the reader, and the one that was laid on then is another one.",
        remedy: "Lay the document on the reader and leave it there until the read has ended.")
    case .fileMalformed(let file, let reason):
      Failure(
        .protocolViolation, "\(file.name) is malformed: \(reason).",
        remedy: "Take the document off the reader, lay it on again and repeat.",
        details: ["file": file.name])
    }
  }
}
