internal import CTesseraOpenSSL
import TesseraCore

/// The reason why a cryptographic operation failed. No case carries input bytes.
public enum CryptographyError: Error, Sendable, Equatable {
  /// The structure cannot be decoded; the text names the part, never its content.
  case malformed(String)
  /// The algorithm is not supported (an OID, a curve, a key type).
  case unsupported(String)
  /// The signature algorithm is for keys of another type.
  case keyMismatch(algorithm: String)
  /// The passphrase or wrapping secret is wrong.
  case wrongSecret
  /// Authenticated decryption failed: the data were modified, or belong to another message or key.
  case notAuthentic
  /// OpenSSL reported an error; `reasons` are its reason strings.
  case openSSL(operation: String, reasons: [String])

  /// The error of the last OpenSSL call. Empties the thread's error queue.
  package static func last(_ operation: String) -> CryptographyError {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { break }
      if let text = ERR_reason_error_string(code) { reasons.append(String(cString: text)) }
    }
    return .openSSL(operation: operation, reasons: reasons)
  }
}

extension CryptographyError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .malformed(let what):
      Failure(
        .protocolViolation, "A cryptographic structure is malformed: \(what).",
        remedy: "Check that the file is complete and unchanged.")
    case .unsupported(let what):
      Failure(
        .protocolViolation, "The algorithm is not supported: \(what).",
        remedy: "Use a document or key with another algorithm.")
    case .keyMismatch(let algorithm):
      Failure(
        .protocolViolation, "The signature algorithm \(algorithm) is for keys of another type.",
        remedy: "Use the key that made the signature.")
    case .wrongSecret:
      Failure(
        .secretWrong, "The passphrase does not decrypt this key.",
        remedy: "Enter the passphrase with which the key was encrypted.")
    case .notAuthentic:
      Failure(
        .protocolViolation, "The encrypted data were modified, or were encrypted with another key.",
        remedy: "Restore the file from a backup.")
    case .openSSL(let operation, let reasons):
      Failure(
        .internalError,
        "OpenSSL failed in \(operation)\(reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", ")).")
    }
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A typed error of which Foundation knows the sentences, too: `error.localizedDescription` is the cause. Without this
/// protocol it is the name and the number of the case.
///
/// The protocol stands here since TesseraCore has no Foundation. `Failure(_:)` has the sentences of all errors.
public protocol LocalizedFailure: FailureConvertible, LocalizedError {}

extension LocalizedFailure {
  /// What happened.
  public var errorDescription: String? { failure.cause }
  /// What the user can do.
  public var recoverySuggestion: String? { failure.remedy }
}

extension Failure: LocalizedError {
  /// The cause and the remedy.
  public var errorDescription: String? { description }
  /// What the user can do.
  public var recoverySuggestion: String? { remedy }
}
