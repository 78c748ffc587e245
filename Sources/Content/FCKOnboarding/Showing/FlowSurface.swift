import CTesseraWebKitGTK
import FCKOnboardingFlow

/// One showing of a flow in a widget: draws what the session says, and tells the session what the person does.
@MainActor
protocol FlowSurface: AnyObject {
  /// The widget, for a container of GTK.
  var widget: UnsafeMutablePointer<GtkWidget> { get }
  /// The showing as it is now.
  var session: OnboardingSession { get }
  /// Receives what is not drawn: haptics, timers, answers, events, notes and the end.
  var onEffects: (@MainActor ([FlowEffect]) -> Void)? { get set }

  /// Draws the first screen. Called once.
  func begin()
  /// - Returns: whether the session did something.
  @discardableResult
  func received(_ input: FlowInput) -> Bool
  /// Gives the keyboard's focus to the first control of the screen.
  func focusFirst()
  /// Ends the drawing. Idempotent.
  func close()
}
