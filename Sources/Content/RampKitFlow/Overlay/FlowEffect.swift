package import TesseraJSON

/// What the owner of an overlay has to do.
package enum FlowEffect: Sendable, Equatable {
  /// Send all variables to the page.
  case sendVariables(page: Int)
  /// Tell the page which screen is shown.
  case sendState(page: Int)
  /// Tell the page whether it is shown.
  case setVisible(page: Int, Bool)
  case play(HapticWord)
  case requestReview
  case requestNotificationPermission(NotificationPermissionOptions)
  case open(String)
  /// Call back: the user finished the flow.
  case finished(payload: JSONValue?)
  /// Call back: show a paywall. The overlay stays.
  case showPaywall(payload: JSONValue?)
  /// Keep the answers.
  case keepAnswers
  case report(FlowEvent)
  /// Write it into the log.
  case log(String)
  /// Say it to the author of the flow. It can contain what the user typed.
  case debug(String)
  /// Load a page again, whose process ended.
  case reload(page: Int)
  /// The overlay is gone. It comes last, once.
  case closed(FlowOutcome)
}

/// How a flow ended.
public enum FlowOutcome: String, Sendable, Equatable {
  /// The user came to its end.
  case finished
  /// A page or the user closed it.
  case closed
  /// A page could not be shown.
  case error
}
