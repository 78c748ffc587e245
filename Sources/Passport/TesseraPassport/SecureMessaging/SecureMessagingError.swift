import TesseraCore
import TesseraSmartCard

/// The reason why a secure messaging session ended (Doc 9303-11, 9.8). Every case ends the session.
public enum SecureMessagingError: Error, Sendable, Equatable {
  /// The chip sent an unprotected response.
  case plainAnswer(StatusWord)
  case malformedResponse(String)
  case wrongMAC
}

extension SecureMessagingError: FailureConvertible {
  public var failure: Failure {
    let cause =
      switch self {
      case .plainAnswer(let status):
        "The chip ended secure messaging: it sent an unprotected response with status \(status)."
      case .malformedResponse(let part):
        "The chip's protected response is malformed (\(part)), so secure messaging was ended."
      case .wrongMAC:
        "The chip's response has a wrong message authentication code, so secure messaging was ended."
      }
    return Failure(.protocolViolation, cause, remedy: PassportError.retryRemedy)
  }
}
