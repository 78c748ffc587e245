public import TesseraJSON

/// What the owner of a showing has to do, in this order.
package enum FlowEffect: Sendable, Equatable {
  /// Draw this element of the shown screen again (`OnboardingSession.node(_:)`).
  case redraw(String)
  /// Draw another screen (`OnboardingSession.screen`).
  case show(screenIndex: Int, FlowDirection)
  case playHaptics(TapBehavior.Intensity)
  /// Let an element look pressed.
  case animatePress(String, PressEffect)
  /// Give `FlowInput.timer` after this time.
  case startTimer(FlowTimer, after: Duration)
  /// Move the keyboard's focus to this element, which keeps the user from going on.
  case focus(String)
  /// The answers changed (`OnboardingSession.answers`).
  case keepAnswers
  case event(ShowingEvent)
  /// Write it into the log. It contains no answer.
  case note(String)
  /// The showing is over. It comes last, once.
  case finished(FlowReport)
}

/// How one screen gives way to another.
package enum FlowDirection: String, Sendable {
  case forward
  case backward
}

/// Something that the owner of the flow wants to know (NativeScreens.md, rule 8).
package struct ShowingEvent: Sendable, Equatable {
  package enum Name: String, Sendable {
    case flowViewed = "flow_viewed"
    case screenViewed = "screen_viewed"
    case flowCompleted = "flow_completed"
    case flowSkipped = "flow_skipped"
  }

  package var name: Name
  /// The screen that is shown when it happens.
  package var screenIndex: Int
  package var screenId: String
}

/// The answers of the user, in the order of the document. Each has another key (NativeScreens.md, rule 6).
public struct FlowAnswers: Sendable, Equatable {
  public struct Answer: Sendable, Equatable {
    public let key: String
    public let value: String
  }

  public private(set) var all: [Answer] = []
  /// The keys of answers that the user took back: a text that is empty again, a number or date that is none any more,
  /// or a choice without an option. None of them is in `all`.
  public private(set) var withdrawn: [String] = []

  public init() {}

  public var isEmpty: Bool { all.isEmpty }

  public subscript(key: String) -> String? { all.first { $0.key.hasBytes(of: key) }?.value }

  /// The answers as the requests carry them.
  public var json: JSONObject {
    var members = JSONObject()
    for answer in all { members[answer.key] = .string(answer.value) }
    return members
  }

  /// Adds an answer at the end, with a key that is not there yet.
  package mutating func append(_ key: String, _ value: String) { all.append(Answer(key: key, value: value)) }

  /// Notes that the user took an answer back. Its key is not there yet.
  mutating func withdraw(_ key: String) { withdrawn.append(key) }
}

/// What the user does. Elements of the screen that is shown are named by their ids; others are ignored.
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
  /// Puts something into a field for a date that is none, for example a part of one. The text is empty if the control
  /// does not tell it.
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

/// How a showing ended, and what the user answered.
public struct FlowReport: Sendable, Equatable {
  public enum Outcome: String, Sendable {
    case completed
    case skipped
  }

  public var outcome: Outcome
  public var answers: FlowAnswers

  public init(outcome: Outcome, answers: FlowAnswers) {
    self.outcome = outcome
    self.answers = answers
  }
}
