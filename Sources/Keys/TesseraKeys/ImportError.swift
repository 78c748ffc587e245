public import TesseraCore

/// The reason why a key file cannot be imported.
public enum ImportError: Error, Sendable, Equatable {
  /// The file contains no private key in a supported format.
  case unknownFormat
  /// The key is not on P-256, or its encryption is not supported.
  case unsupported
}

extension ImportError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .unknownFormat:
      Failure(
        .usage, "The file contains no readable private key.", remedy: "Use a PKCS#8 or SEC 1 file, in PEM or DER.")
    case .unsupported:
      Failure(
        .usage, "The private key is not on P-256, or its encryption is not supported.",
        remedy: "Use a P-256 key, encrypted with `openssl pkcs8 -topk8 -v2 aes-256-cbc` if necessary.")
    }
  }
}
