/// Why a script of the program has no value.
package enum ScriptFailure: Error, Sendable, Equatable {
  /// The view has shown no page yet.
  case noPage
  /// The script cannot be read, or it threw this.
  case exception(String)
  /// The value is not one of JSON: a node of the page, for example. WebKit says the same when the process of the page ends.
  case unsupportedValue
  /// The page was left.
  case pageEnded
  case timeLimit(Duration)

  /// What happened, as a sentence.
  package var message: String {
    switch self {
    case .noPage: "There is no page."
    case .exception(let text): text
    case .unsupportedValue: "The value of the script cannot be written as JSON."
    case .pageEnded: "The page ended before the script did."
    case .timeLimit(let limit): "The script did not end within \(limit.components.seconds) seconds."
    }
  }
}
