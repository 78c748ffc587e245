import TesseraCore
import TesseraCryptography
import TesseraSmartCard

/// The reason why PACE failed.
public enum PACEError: Error, Sendable, Equatable {
  /// The steps, named by what the reader requests.
  public enum Step: String, Sendable {
    case selection = "MSE:Set AT"
    case nonce = "the encrypted nonce"
    case mapping = "the mapping of the nonce"
    case agreement = "the key agreement"
    case authentication = "the mutual authentication"
  }

  /// The password is wrong.
  ///
  /// - Parameter triesLeft: nil if the chip does not count the tries.
  case wrongPassword(triesLeft: Int?, StatusWord)
  /// One try is left, and the chip requires another password before it.
  case passwordSuspended(StatusWord)
  /// No try is left.
  case passwordBlocked(StatusWord)
  /// The chip has no password of this kind, for example no card access number.
  case passwordUnknown(StatusWord)
  /// None of the chip's offers is supported.
  case noSupportedOffer
  /// The chip's offers need longer commands than the reader supports.
  case needsExtendedLength
  case refused(Step, StatusWord)
  case malformedResponse(Step)
  /// A point that is not on the curve, the point at infinity, or a number outside the group.
  case invalidElement(Step, GroupElementProblem)
  /// The chip returned this reader's own key.
  case reflectedKey(Step)
  /// The chip accepted the reader's token, but does not know the key itself.
  case wrongToken
}

extension PACEError: LocalizedFailure {
  public var failure: Failure { failure(of: nil) }

  /// The failure in words for the kind of key that the chip refused.
  ///
  /// - Parameter key: nil if it is not known which of them was used.
  package func failure(of key: AccessKey?) -> Failure {
    let otherPassword =
      switch key {
      case .mrz: "Use the card access number instead of the MRZ, or contact the issuer of the document."
      case .can: "Use the MRZ instead of the card access number, or contact the issuer of the document."
      case nil: "Use the other of both, the MRZ or the card access number, or contact the issuer of the document."
      }
    let attack = "Do not trust this chip: it violates the protocol in a way that attacks do."
    switch self {
    case .wrongPassword(let tries, let status):
      let (refused, name) =
        switch key {
        case .mrz: ("key derived from this MRZ", "MRZ")
        case .can: ("card access number", "card access number")
        case nil: ("key derived from this MRZ or card access number", "MRZ or card access number")
        }
      // That of a driving licence, for example, may have another length.
      let isUnusual = if case .can(let digits) = key { digits.count != 6 } else { false }
      return Failure(
        .accessDenied,
        "The chip refused the \(refused) (PACE, status \(status))"
          + "\(tries.map { "; \($0) tries are left" } ?? "").",
        remedy: "Compare the \(name) with the document on the reader."
          + (isUnusual ? " Such a number usually has six digits." : ""),
        details: ["protocol": "PACE", "status": "\(status)"])
    case .passwordSuspended(let status):
      return Failure(
        .accessDenied, "The chip has suspended this password after wrong attempts (PACE, status \(status)).",
        remedy: otherPassword,
        details: ["protocol": "PACE", "status": "\(status)"])
    case .passwordBlocked(let status):
      return Failure(
        .accessDenied, "The chip has blocked this password after wrong attempts (PACE, status \(status)).",
        remedy: otherPassword,
        details: ["protocol": "PACE", "status": "\(status)"])
    case .passwordUnknown(let status):
      let remedy =
        switch key {
        case .mrz: "Use the card access number instead of the MRZ."
        case .can: "Use the MRZ instead of the card access number."
        case nil: "Use the MRZ instead of the card access number, or vice versa."
        }
      return Failure(
        .accessDenied, "The chip has no password of this kind (PACE, status \(status)).", remedy: remedy,
        details: ["protocol": "PACE", "status": "\(status)"])
    case .noSupportedOffer:
      return Failure(
        .accessControlUnsupported, "The chip offers only variants of PACE that Tessera does not support.",
        remedy: "Use the MRZ: the chip may support Basic Access Control.")
    case .needsExtendedLength:
      return Failure(
        .accessControlUnsupported,
        "The chip offers PACE only with Diffie-Hellman groups that need extended length, which the reader does not "
          + "support.",
        remedy: "Use a PC/SC reader that supports extended length.")
    case .refused(.selection, let status):
      return Failure(
        .accessControlUnsupported,
        "The chip offers PACE and refused its first command, MSE:Set AT, with status \(status).",
        remedy: "Use the other key, the MRZ or the card access number, if the document has both. If it also supports "
          + "Basic Access Control, provide the MRZ and skip PACE.",
        details: ["protocol": "PACE", "status": "\(status)"])
    case .refused(let step, let status):
      return Failure(
        .protocolViolation, "The chip refused \(step.rawValue) of PACE with status \(status).",
        remedy: PassportError.retryRemedy,
        details: ["protocol": "PACE", "status": "\(status)"])
    case .malformedResponse(let step):
      return Failure(
        .protocolViolation, "The chip's response to \(step.rawValue) of PACE is malformed.",
        remedy: PassportError.retryRemedy)
    case .invalidElement(let step, let problem):
      let what =
        switch problem {
        case .malformed: "is malformed"
        case .notInGroup: "is not in the group"
        case .identity: "is the group's identity"
        }
      return Failure(
        .protocolViolation, "The public key that the chip sent in \(step.rawValue) of PACE \(what).",
        remedy: attack)
    case .reflectedKey(let step):
      return Failure(
        .protocolViolation, "The chip returned the reader's own key in \(step.rawValue) of PACE.", remedy: attack)
    case .wrongToken:
      return Failure(
        .protocolViolation, "The chip's authentication token of PACE is wrong.", remedy: attack)
    }
  }
}
