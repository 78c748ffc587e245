/// Where a press leads.
enum FlowDestination: Sendable, Equatable {
  case next
  case screen(String)
  case back
  case skip
  case complete
}

/// What a press of an element causes: first what is felt and seen, then where it leads (NativeScreens.md, rule 7).
struct TapPlan: Sendable {
  private(set) var haptics: TapBehavior.Intensity?
  private(set) var press = PressEffect()
  /// nil leads nowhere.
  private(set) var destination: FlowDestination?
  private(set) var delay = Duration.zero

  /// Of several behaviours of one kind, the first one counts. A button's action counts if no behaviour leads anywhere.
  init(_ element: FlowElement) {
    var hasBump = false
    var hasOpacity = false
    for behavior in element.tapBehaviors {
      switch behavior.kind {
      case .navigate(let screenId): lead(.screen(screenId), after: behavior.delay)
      case .back: lead(.back, after: behavior.delay)
      case .complete: lead(.complete, after: behavior.delay)
      case .haptics(let intensity): haptics = haptics ?? intensity
      case .bump(let scale) where !hasBump:
        hasBump = true
        press.scale = scale.isFinite ? FlowConfigLimits.scale.clamp(scale) : 1
        press.duration = Self.limited(behavior.duration, FlowConfigLimits.duration)
      case .opacity(let opacity) where !hasOpacity:
        hasOpacity = true
        press.opacity = opacity.isFinite ? (0...1).clamp(opacity) : 1
        // Both are one animation, which lasts as long as the first one says.
        if !hasBump { press.duration = Self.limited(behavior.duration, FlowConfigLimits.duration) }
      case .bump, .opacity: break
      }
    }
    if destination == nil, case .button(let button) = element.content { destination = button.action?.destination }
  }

  private mutating func lead(_ destination: FlowDestination, after delay: Double) {
    guard self.destination == nil else { return }
    self.destination = destination
    self.delay = .milliseconds(Int64((Self.limited(delay, FlowConfigLimits.delay) * 1_000).rounded()))
  }

  private static func limited(_ seconds: Double, _ limits: ClosedRange<Double>) -> Double {
    seconds.isNaN ? 0 : limits.clamp(seconds)
  }
}

extension FlowButton.Action {
  fileprivate var destination: FlowDestination {
    switch self {
    case .next: .next
    case .back: .back
    case .skip: .skip
    case .complete: .complete
    }
  }
}
