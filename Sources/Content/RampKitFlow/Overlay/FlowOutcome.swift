/// How a flow ended.
public enum FlowOutcome: String, Sendable, Equatable {
  /// The person came to its end.
  case finished
  /// A page or the person closed it.
  case closed
  /// A page could not be shown.
  case error
}
