internal import COpenSSL
import Failures

/// Why a cryptographic operation could not be done. None of the cases carries input bytes.
public enum CryptographyError: Error, Sendable, Equatable {
  /// The structure could not be decoded; the text names the part, never its content.
  case malformed(String)
  /// The algorithm is recognised as foreign to this build (an OID, a curve, a key type).
  case unsupported(String)
  /// A passphrase or wrapping secret does not open what it should.
  case wrongSecret
  /// Authenticated encryption: the bytes were changed, or are another message's, or another key's.
  case notAuthentic
  /// OpenSSL refused; `reasons` are its own reason strings.
  case openSSL(operation: String, reasons: [String])

  /// The error of the last OpenSSL call, with the thread's error queue emptied.
  static func last(_ operation: String) -> CryptographyError {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { break }
      if let text = ERR_reason_error_string(code) { reasons.append(String(cString: text)) }
    }
    return .openSSL(operation: operation, reasons: reasons)
  }
}

extension CryptographyError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .malformed(let what):
      Failure(.protocolViolation, "A cryptographic structure is malformed: \(what).")
    case .unsupported(let what):
      Failure(.protocolViolation, "The algorithm is not supported: \(what).")
    case .wrongSecret:
      Failure(
        .secretWrong, "The passphrase does not open this key.", remedy: "Give the passphrase that it was made with.")
    case .notAuthentic:
      Failure(.protocolViolation, "What was encrypted has been changed since, or belongs to another key.")
    case .openSSL(let operation, let reasons):
      Failure(
        .internalError,
        "OpenSSL failed in \(operation)\(reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", ")).")
    }
  }
}
