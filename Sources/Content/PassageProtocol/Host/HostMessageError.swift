package import TesseraCore

/// Why a message between a host program and `tessera-passage` is not understood. It names a member and never a value.
package enum HostMessageError: FailureConvertible, Equatable {
  case missing(String)
  case wrong(String)
  case tooLong(String)
  case unknownType
  case notJSON
  /// A line is longer than `HostLines.maximumLength`.
  case lineTooLong

  package var failure: Failure {
    let cause =
      switch self {
      case .missing(let name): "A message of Passage's host has no “\(name)”."
      case .wrong(let name): "The member “\(name)” of a message of Passage's host has a wrong value."
      case .tooLong(let name): "The member “\(name)” of a message of Passage's host is too long."
      case .unknownType: "A message of Passage's host has an unknown type."
      case .notJSON: "A message of Passage's host is not JSON."
      case .lineTooLong: "A message of Passage's host is longer than \(HostLines.maximumLength) bytes."
      }
    return Failure(.protocolViolation, cause, remedy: "Use tessera-passage and the Passage library of one version.")
  }
}
