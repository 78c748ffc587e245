import TesseraJSON

/// What the person entered into an element.
package enum FlowValue: Sendable, Equatable {
  /// As typed, also for a number.
  case text(String)
  case isOn(Bool)
  case date(FlowDateTime?)
  /// What stands in a field for a date and is none: a date that does not exist, or a part of one. The text is empty if
  /// the control does not tell it.
  case unreadableDate(String)
  /// The ids of the selected options, in the order of the options.
  case options([String])

  /// Compares texts by their bytes: two that look the same can be different answers.
  package static func == (left: FlowValue, right: FlowValue) -> Bool {
    switch (left, right) {
    case (.text(let one), .text(let other)): one.hasBytes(of: other)
    case (.isOn(let one), .isOn(let other)): one == other
    case (.date(let one), .date(let other)): one == other
    case (.unreadableDate(let one), .unreadableDate(let other)): one.hasBytes(of: other)
    case (.options(let one), .options(let other)): one.elementsEqual(other) { $0.hasBytes(of: $1) }
    default: false
    }
  }
}

/// Why the person cannot go on from a screen.
package enum AnswerProblem: Sendable, Equatable {
  /// The element is required and empty.
  case missing
  /// What stands in the element is no e-mail address, no number or no date.
  case malformed
  /// The number is not in the range of the element.
  case outOfRange
}
