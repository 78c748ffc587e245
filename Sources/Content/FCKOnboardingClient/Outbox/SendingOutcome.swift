/// What became of an entry that was sent.
enum SendingOutcome: Sendable, Equatable {
  /// The server has it.
  case accepted
  /// The server will never take it.
  case refused(status: Int)
  /// It is sent again later. The network, or the way to the server, failed.
  case unreachable
  /// It is sent again later. The server, or the key, is the reason: a new attempt now would have the same result.
  case postponed

  /// - Parameter error: of `FCKAPIClient.send`.
  init(_ error: any Error) {
    switch error as? FCKAPIClient.APIError {
    case .serverError(let status, _)?:
      switch status {
      // The key can be mended. The other two ask for another attempt (RFC 9110, 15.5.9; RFC 8470, 5.2).
      case 401, 408, 425, 500...: self = .postponed
      default: self = .refused(status: status)
      }
    case .noActiveFlow?: self = .refused(status: 404)
    case .usageLimitExceeded?, .invalidURL?, .noData?, .decodingError?: self = .postponed
    case .networkError?, nil: self = .unreachable
    }
  }
}
