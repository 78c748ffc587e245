public import TesseraCore
public import TesseraHTTPClient

extension FCKAPIClient {
  /// Why a request has no result. No text of these errors contains the key, an identifier or an answer of the user.
  public enum APIError: FailureConvertible, Equatable {
    /// The server's address is not one with https, or the placement or the properties cannot be part of one.
    case invalidURL
    /// The server answered with the status 200 and nothing else.
    case noData
    /// The server answered with the status 200 and something else than a placement. The reason is a sentence.
    case decodingError(String)
    /// There is no response.
    case networkError(HTTPError)
    /// The server answered with this status. The text is short and printable; it can be empty.
    case serverError(Int, String)
    /// The placement has no flow for this user.
    case noActiveFlow
    /// The server serves no more flows to this program for now.
    case usageLimitExceeded

    public var failure: Failure {
      switch self {
      case .invalidURL:
        Failure(
          .usage, "The address of the onboarding server, the placement or the user's properties are invalid.",
          remedy: "Use an address with https, a short name for the placement, and less than 4 KiB of properties.")
      case .noData:
        Failure(.serviceUnavailable, "The onboarding server's answer is empty.", remedy: "Try again later.")
      case .decodingError(let reason):
        Failure(
          .serviceUnavailable, "The onboarding server's answer is not a placement. \(reason)",
          remedy: "Check the address of the server, and the flow in the builder.")
      case .networkError(let error): Self.failure(error)
      case .serverError(let status, let text): Self.failure(status, text)
      case .noActiveFlow:
        Failure(
          .usage, "The placement has no active flow for this user.",
          remedy: "Publish a campaign for the placement, and compare the placement's name.")
      case .usageLimitExceeded:
        Failure(
          .serviceUnavailable, "The onboarding server's usage limit is exceeded.",
          remedy: "Try again later, or raise the limit of your project.", details: ["status": "429"])
      }
    }

    private static func failure(_ status: Int, _ text: String) -> Failure {
      let cause = "The onboarding server answered with the HTTP status \(status)\(text.isEmpty ? "." : ": “\(text)”.")"
      let remedy =
        switch status {
        case 401, 403: "Compare the key with the one in the settings of your project, and the environment with it."
        case 400..<500: "Compare the placement and the configuration with the settings of your project."
        default: "Try again later."
        }
      return Failure(.serviceUnavailable, cause, remedy: remedy, details: ["status": "\(status)"])
    }

    /// The remedies of `HTTPError` are partly for a user who wants a file.
    private static func failure(_ error: HTTPError) -> Failure {
      var failure = error.failure
      switch error {
      case .timeLimit, .invalidResponse, .tooLarge: failure.remedy = "Try again later."
      case .redirect:
        failure.remedy = "Check the address of the onboarding server, and the network's page for signing in."
      default: break
      }
      return failure
    }
  }
}
