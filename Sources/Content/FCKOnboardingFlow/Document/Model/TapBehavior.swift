/// What happens when the user presses an element: first what is felt and seen, then, after `delay`, where it leads.
public struct TapBehavior: Sendable, Equatable {
  public enum Intensity: String, Sendable, CaseIterable { case light, medium, heavy }

  public enum Kind: Sendable, Equatable {
    case navigate(screenId: String)
    case back
    case complete
    case haptics(Intensity)
    /// `scale` is the size while pressed.
    case bump(scale: Double)
    /// `opacity` while pressed, 0 to 1.
    case opacity(Double)
  }

  public var kind: Kind
  /// In seconds, before `navigate`, `back` and `complete`.
  public var delay: Double
  /// In seconds, of the animation.
  public var duration: Double

  public init(_ kind: Kind, delay: Double = 0, duration: Double = 0.15) {
    self.kind = kind
    self.delay = delay
    self.duration = duration
  }
}
