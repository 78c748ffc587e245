import FCKOnboardingFlow
import TesseraBridge

/// One showing of a flow: does what the session says and a surface does not draw.
@MainActor
final class FlowController {
  /// What a showing needs of the program.
  struct Hooks {
    var play: @MainActor (TapBehavior.Intensity) -> Void = { _ in }
    var report: @MainActor (ShowingEvent) -> Void = { _ in }
    var keepAnswers: @MainActor (FlowAnswers) -> Void = { _ in }
    var log: @MainActor (String) -> Void = { _ in }
    var finished: @MainActor (FlowReport) -> Void = { _ in }
  }

  let surface: any FlowSurface
  private let hooks: Hooks
  private var timers: [FlowTimer: Task<Void, Never>] = [:]
  private(set) var report: FlowReport?

  init(on surface: any FlowSurface, _ hooks: Hooks) {
    self.surface = surface
    self.hooks = hooks
  }

  isolated deinit { for timer in timers.values { timer.cancel() } }

  /// Shows the flow. Called once.
  func begin() {
    surface.onEffects = { [weak self] in self?.perform($0) }
    surface.begin()
  }

  func skip() { surface.received(.skip) }

  /// Goes to the screen before; from the first one, out of the flow.
  func goBack() {
    // A press already leads elsewhere.
    guard report == nil, timers.isEmpty else { return }
    if !surface.received(.back) { skip() }
  }

  private func perform(_ effects: [FlowEffect]) {
    for effect in effects {
      switch effect {
      case .playHaptics(let intensity): hooks.play(intensity)
      case .startTimer(let timer, let delay): start(timer, after: delay)
      case .keepAnswers: hooks.keepAnswers(surface.session.answers)
      case .event(let event): hooks.report(event)
      case .note(let text): hooks.log(text)
      case .finished(let report): end(report)
      // The surface draws them.
      case .redraw, .show, .animatePress, .focus: break
      }
    }
  }

  private func start(_ timer: FlowTimer, after delay: Duration) {
    timers[timer] = Task { [weak self] in
      guard (try? await Task.sleep(for: delay)) != nil, let self else { return }
      timers[timer] = nil
      surface.received(.timer(timer))
    }
  }

  private func end(_ report: FlowReport) {
    guard self.report == nil else { return }
    self.report = report
    for timer in timers.values { timer.cancel() }
    timers = [:]
    hooks.finished(report)
  }
}

extension TapBehavior.Intensity {
  /// Plays the behaviour on a rumble device, by the patterns of the bridge's words.
  func play(on haptics: any HapticProvider) async {
    switch self {
    case .light: await haptics.impact(.light)
    case .medium: await haptics.impact(.medium)
    case .heavy: await haptics.impact(.heavy)
    }
  }
}
