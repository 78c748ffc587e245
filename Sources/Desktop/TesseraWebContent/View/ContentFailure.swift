/// Why a view shows no page.
public enum ContentFailure: Error, Sendable, Equatable {
  /// The page could not be loaded. The reason is a sentence.
  case loadFailed(reason: String)
  /// The server answered with an error status of HTTP.
  case serverError(status: Int)
  /// The process of the page ended: it crashed, was killed, or used too much memory.
  case processEnded(outOfMemory: Bool)

  /// The code for a program, in the style of the bridge.
  public var code: String {
    switch self {
    case .loadFailed: "LOAD_FAILED"
    case .serverError: "SERVER_ERROR"
    case .processEnded: "WEB_PROCESS_TERMINATED"
    }
  }

  /// What happened, as a sentence.
  public var message: String {
    switch self {
    case .loadFailed(let reason): "The page could not be loaded. \(reason)"
    case .serverError(let status): "The server answered with the status \(status)."
    case .processEnded(outOfMemory: true): "The page used too much memory and was ended."
    case .processEnded(outOfMemory: false): "The process of the page ended unexpectedly."
    }
  }
}
