import Cryptography
import Failures
import SmartCard

/// Why PACE did not open the chip.
public enum PACEError: Error, Sendable, Equatable {
  /// The steps, by what the reader asks for.
  public enum Step: String, Sendable {
    case selection = "MSE:Set AT"
    case nonce = "the encrypted nonce"
    case mapping = "the mapping of the nonce"
    case agreement = "the key agreement"
    case authentication = "the mutual authentication"
  }

  /// The password is not the chip's.
  ///
  /// - Parameter triesLeft: where the chip counts them.
  case wrongPassword(triesLeft: Int?, StatusWord)
  /// One try is left, which the chip allows only after another password.
  case passwordSuspended(StatusWord)
  /// No try is left.
  case passwordBlocked(StatusWord)
  /// The chip has no password of this kind, for example no card access number.
  case passwordUnknown(StatusWord)
  /// Of the chip's offers none can be done.
  case nothingInCommon
  /// The numbers of the chip's offers are too long for the reader.
  case needsExtendedLength
  case refused(Step, StatusWord)
  case malformedAnswer(Step)
  /// A point off the curve, infinity, a number outside of the group.
  case invalidElement(Step, GroupElementProblem)
  /// The chip sent this reader's own key back.
  case reflectedKey(Step)
  /// The chip accepted the reader's token and does not know the key itself.
  case wrongToken
}

extension PACEError: ExplainedError {
  public var failure: Failure {
    let again = "Take the document off the reader, lay it on again and repeat."
    switch self {
    case .wrongPassword(let tries, let status):
      return Failure(
        .accessDenied,
        "The chip refused the key derived from this MRZ or card access number (PACE, status \(status))"
          + "\(tries.map { "; \($0) more tries are left" } ?? "").",
        remedy: "Compare what was given with the document on the reader.",
        details: ["protocol": "PACE", "status": "\(status)"])
    case .passwordSuspended(let status):
      return Failure(
        .accessDenied, "The chip has suspended this password after wrong ones (PACE, status \(status)).",
        remedy: "Give the MRZ instead of the card access number, or ask the issuer of the document.",
        details: ["protocol": "PACE", "status": "\(status)"])
    case .passwordBlocked(let status):
      return Failure(
        .accessDenied, "The chip has blocked this password after wrong ones (PACE, status \(status)).",
        remedy: "Give the MRZ instead of the card access number, or ask the issuer of the document.",
        details: ["protocol": "PACE", "status": "\(status)"])
    case .passwordUnknown(let status):
      return Failure(
        .accessDenied, "The chip has no password of this kind (PACE, status \(status)).",
        remedy: "Give the MRZ instead of the card access number, or the other way round.",
        details: ["protocol": "PACE", "status": "\(status)"])
    case .nothingInCommon:
      return Failure(
        .accessControlUnsupported, "The chip offers PACE only in forms that Tessera cannot do.",
        remedy: "Give the MRZ, by which the chip may open with Basic Access Control.")
    case .needsExtendedLength:
      return Failure(
        .accessControlUnsupported,
        "The chip offers PACE only with Diffie-Hellman numbers that need extended length, which the reader does not "
          + "carry.",
        remedy: "Use a PC/SC reader with extended length.")
    case .refused(let step, let status):
      return Failure(
        .protocolViolation, "The chip refused \(step.rawValue) of PACE with status \(status).", remedy: again,
        details: ["protocol": "PACE", "status": "\(status)"])
    case .malformedAnswer(let step):
      return Failure(.protocolViolation, "The chip's answer to \(step.rawValue) of PACE is malformed.", remedy: again)
    case .invalidElement(let step, let problem):
      let what =
        switch problem {
        case .malformed: "is malformed"
        case .notInGroup: "is not in the group"
        case .identity: "is the group's identity"
        }
      return Failure(
        .protocolViolation, "The public key that the chip sent in \(step.rawValue) of PACE \(what).",
        remedy: "Do not trust this chip; it breaks the protocol in a way that attackers do.")
    case .reflectedKey(let step):
      return Failure(
        .protocolViolation, "The chip sent the reader's own key back in \(step.rawValue) of PACE.",
        remedy: "Do not trust this chip; it breaks the protocol in a way that attackers do.")
    case .wrongToken:
      return Failure(
        .protocolViolation, "The chip's authentication token of PACE is wrong.",
        remedy: "Do not trust this chip; it breaks the protocol in a way that attackers do.")
    }
  }
}
