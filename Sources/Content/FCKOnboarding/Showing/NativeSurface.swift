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
