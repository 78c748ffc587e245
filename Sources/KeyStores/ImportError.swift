public import Failures

/// Why a file cannot be imported.
public enum ImportError: Error, Sendable, Equatable {
  case unknownForm
  case otherKind
}

extension ImportError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .unknownForm:
      Failure(.usage, "The file holds no private key that can be read.", remedy: "Give PKCS#8 or SEC 1, in PEM or DER.")
    case .otherKind:
      Failure(
        .usage, "The private key is not on P-256, or is encrypted in a way that is not supported.",
        remedy: "Give a P-256 key; `openssl pkcs8 -topk8 -v2 aes-256-cbc` encrypts it anew.")
    }
  }
}
