import CTesseraWebKitGTK
import FCKOnboardingFlow

/// A showing with widgets of GTK.
@MainActor
final class NativeSurface: FlowSurface {
  private(set) var session: OnboardingSession
  var onEffects: (@MainActor ([FlowEffect]) -> Void)?
  let screens: NativeScreens

  init(_ flow: FlowConfig, words: FlowWords, pictures: PictureLoader) {
    session = OnboardingSession(flow, words: words)
    screens = NativeScreens(pictures: pictures, words: session.words)
  }

  var widget: UnsafeMutablePointer<GtkWidget> { screens.widget }

  func begin() {
    screens.onInput = { [weak self] in self?.received($0) }
    let effects = session.begin()
    if !session.isFinished, let screen = session.screen { screens.show(screen, nil) }
    perform(effects)
  }

  @discardableResult
  func received(_ input: FlowInput) -> Bool {
    let effects = session.received(input)
    perform(effects)
    return !effects.isEmpty
  }

  func focusFirst() { screens.focusFirst() }

  func close() { screens.close() }

  private func perform(_ effects: [FlowEffect]) {
    var others: [FlowEffect] = []
    for effect in effects {
      switch effect {
      case .redraw(let id): if let node = session.node(id) { screens.redraw(id, node) }
      case .show(_, let direction): if let screen = session.screen { screens.show(screen, direction) }
      case .animatePress(let id, let press): screens.press(id, press)
      case .focus(let id): screens.focus(id)
      case .playHaptics, .startTimer, .keepAnswers, .event, .note, .finished: others.append(effect)
      }
    }
    if !others.isEmpty { onEffects?(others) }
  }
}

/// One showing of a flow in a widget: draws what the session says, and tells the session what the user does.
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
