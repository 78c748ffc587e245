/// What the person does. Elements of the screen that is shown are named by their ids; others are ignored.
package enum FlowInput: Sendable, Equatable {
  /// Presses an element, with a pointer or with the keyboard.
  case tap(String)
  /// Types into a field: the whole text that is in it now.
  case text(String, String)
  /// Leaves a field for a text, a number or a date, or presses Enter in it.
  case commit(String)
  /// Presses the button of a number for so many steps up, or down.
  case step(String, by: Int)
  case toggle(String, isOn: Bool)
  /// Chooses a date, or clears it.
  case date(String, FlowDateTime?)
  /// Puts something into a field for a date that is none, for example a part of one. The text is empty if the control does
  /// not tell it.
  case unreadableDate(String, String)
  /// Selects an option, or takes it back.
  case option(String, option: String, isSelected: Bool)
  /// The key for the way back.
  case back
  /// Closes the window.
  case skip
  /// The time of `FlowEffect.startTimer` is over.
  case timer(FlowTimer)
}

/// A wait that the session asked for.
package struct FlowTimer: Sendable, Hashable {
  let number: Int
}
