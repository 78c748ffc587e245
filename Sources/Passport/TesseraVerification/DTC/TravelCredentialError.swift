public import TesseraCore
public import TesseraPassport

/// The reason why a file is no digital travel credential that can be judged (ICAO TR "Digital Travel Credentials").
public enum TravelCredentialError: Error, Sendable, Equatable {
  /// The file does not have the structure of a credential, or is not whole.
  case malformed
  /// The credential has another version than 1.
  case unsupportedVersion
  /// The credential contains a file twice.
  case repeated(ElementaryFile)
  /// The credential lacks a data group that each one has.
  case missing(ElementaryFile)
  /// Something follows the credential.
  case trailingBytes
  /// The credential, or a file in it, is larger than any of a passport.
  case tooLarge
}

extension TravelCredentialError: FailureConvertible {
  public var failure: Failure {
    let another = "Ask the holder to send the credential again."
    return switch self {
    case .malformed:
      Failure(.usage, "The digital travel credential is not whole, or has another structure.", remedy: another)
    case .unsupportedVersion:
      Failure(
        .usage, "The digital travel credential has a version that is not supported.",
        remedy: "Install the newest version of Tessera.")
    case .repeated(let file):
      Failure(
        .usage, "The digital travel credential contains \(file.name) more than once.", remedy: another,
        details: ["file": file.name])
    case .missing(let file):
      Failure(
        .usage, "The digital travel credential does not contain \(file.name), which each one has.", remedy: another,
        details: ["file": file.name])
    case .trailingBytes:
      Failure(.usage, "The file has more in it than a digital travel credential.", remedy: another)
    case .tooLarge:
      Failure(
        .usage, "The digital travel credential is larger than any of a passport.",
        remedy: "Check that it is the right file.")
    }
  }
}
