@testable import FCKOnboardingFlow

/// A showing, and what it caused since the last look.
struct Showing {
  var session: OnboardingSession
  private(set) var effects: [FlowEffect] = []

  /// Begins.
  init(_ flow: FlowConfig) {
    session = OnboardingSession(flow)
    effects = session.begin()
  }

  /// - Returns: what this input causes.
  @discardableResult
  mutating func send(_ input: FlowInput) -> [FlowEffect] {
    let effects = session.received(input)
    self.effects += effects
    return effects
  }

  /// The names of all events until now.
  var events: [String] {
    effects.compactMap { if case .event(let event) = $0 { "\(event.name.rawValue) \(event.screenId)" } else { nil } }
  }

  var reports: [FlowReport] { effects.compactMap { if case .finished(let report) = $0 { report } else { nil } } }

  var answers: [String] { session.answers.all.map { "\($0.key)=\($0.value)" } }

  /// The elements of the shown screen that carry a mark.
  var marked: [String] {
    func marked(_ node: RenderNode) -> [String] {
      let hasProblem =
        switch node.content {
        case .entry(let entry): entry.problem != nil
        case .datePicker(let picker): picker.problem != nil
        case .choice(let choice): choice.problem != nil
        default: false
        }
      return (hasProblem ? [node.id] : []) + node.children.flatMap(marked)
    }
    return session.screen.map(marked) ?? []
  }
}

extension [FlowEffect] {
  var timers: [FlowTimer] { compactMap { if case .startTimer(let timer, _) = $0 { timer } else { nil } } }
}
