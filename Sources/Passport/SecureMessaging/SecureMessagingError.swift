import Failures
import SmartCard

/// Why a secure messaging session ended (Doc 9303-11, 9.8). Every case is final for the session.
public enum SecureMessagingError: Error, Sendable, Equatable {
  /// The chip answered outside secure messaging.
  case plainAnswer(StatusWord)
  case malformedResponse(String)
  case wrongMAC
  /// The unprotected status word contradicts the protected one.
  case statusMismatch
}

extension SecureMessagingError: ExplainedError {
  public var failure: Failure {
    let cause =
      switch self {
      case .plainAnswer(let status):
        "The chip ended secure messaging: it answered unprotected with status \(status)."
      case .malformedResponse(let part):
        "The chip's protected answer is malformed (\(part)), so secure messaging was ended."
      case .wrongMAC:
        "The chip's answer has a wrong message authentication code, so secure messaging was ended."
      case .statusMismatch:
        "The chip's answer carries two different status words, so secure messaging was ended."
      }
    return Failure(
      .protocolViolation, cause, remedy: "Take the document off the reader, lay it on again and repeat.")
  }
}
