public import TesseraCore

/// An error of `FCKOnboarding` itself. Those of requests are `FCKAPIClient.APIError`.
public enum FCKError: FailureConvertible, Equatable {
  /// A function was called before `configure`.
  case notConfigured

  public var failure: Failure {
    Failure(.usage, "FCKOnboarding is not configured.", remedy: "Call configure before this function.")
  }
}
