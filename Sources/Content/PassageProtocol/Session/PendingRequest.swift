/// A request without an answer yet.
struct PendingRequest: Sendable {
  enum Purpose: Sendable, Equatable {
    case configuration
    /// The result of the command with this identifier.
    case result(id: String)
    /// The same result for the server that records sessions.
    case record(id: String)
    case browserState
    case page
    case analytics
  }

  let purpose: Purpose
  let request: PassageRequest
  var isRetry = false
}
