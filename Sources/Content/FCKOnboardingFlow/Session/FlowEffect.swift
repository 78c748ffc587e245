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
  /// Move the keyboard's focus to this element, which keeps the person from going on.
  case focus(String)
  /// The answers changed (`OnboardingSession.answers`).
  case keepAnswers
  case event(ShowingEvent)
  /// Say it to the operator of the program. It contains no answer.
  case note(String)
  /// The showing is over. It comes last, once.
  case finished(FlowReport)
}

/// How one screen gives way to another.
package enum FlowDirection: String, Sendable {
  case forward
  case backward
}

/// Something that the operator of the flow wants to know (the dossier, section 3).
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
