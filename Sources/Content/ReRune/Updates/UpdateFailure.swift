internal import TesseraCore
internal import TesseraHTTPClient

/// What a failed request means to somebody who waits for texts. The remedies of `HTTPError` are for somebody who wants a
/// file.
enum UpdateFailure {
  /// The failure of a check whose request for the manifest failed.
  static func of(_ error: HTTPError) -> Failure {
    guard case .status(let status) = error, [401, 403, 404].contains(status) else { return ofTexts(error) }
    let cause = status == 404 ? "The server knows no texts for the publish id" : "The server refused the publish id"
    return failure(
      "\(cause) (HTTP status \(status)).", "Compare it with the one in the settings of your project at rerune.io.",
      details: ["status": "\(status)"])
  }

  /// The failure of a request for the texts of a locale.
  static func ofTexts(_ error: HTTPError) -> Failure {
    switch error {
    case .status(let status):
      failure("The server answered with the HTTP status \(status).", details: ["status": "\(status)"])
    case .timeLimit(let limit): failure("The server's answer did not end within \(text(limit)).")
    case .tooLarge(let limit): failure("The server's answer has more than \(limit) bytes.")
    case .redirect:
      failure(
        error.failure.cause,
        "Open https://rerune.io in a browser: some networks lead every address to a page for signing in.")
    case .interrupted, .invalidResponse: failure(error.failure.cause)
    default: error.failure
    }
  }

  private static func failure(
    _ cause: String, _ remedy: String = "Try again later.", details: [String: String] = [:]
  ) -> Failure {
    Failure(.serviceUnavailable, cause, remedy: remedy, details: details)
  }

  private static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if seconds == 0 { return "\(attoseconds / 1_000_000_000_000_000) milliseconds" }
    return seconds == 1 ? "1 second" : "\(seconds) seconds"
  }
}
