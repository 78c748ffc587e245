/// What the person entered into an element.
package enum FlowValue: Sendable, Equatable {
  /// As typed, also for a number.
  case text(String)
  case isOn(Bool)
  case date(FlowDateTime?)
  /// The ids of the selected options, in the order of the options.
  case options([String])
}

/// Why the person cannot go on from a screen.
package enum AnswerProblem: Sendable, Equatable {
  /// The element is required and empty.
  case missing
  /// The text is no e-mail address, or no number.
  case malformed
}
