/// What the overlay looks like at one moment.
public struct OverlayFrame: Sendable, Equatable {
  public struct Page: Sendable, Equatable {
    public var index: Int
    /// 0…1.
    public var opacity: Double
    /// How far the page is moved to the right, in parts of the window's width.
    public var shiftInWidths: Double
    /// How far the page is moved to the right, in pixels of the desktop.
    public var shift: Double

    public init(index: Int, opacity: Double = 1, shiftInWidths: Double = 0, shift: Double = 0) {
      self.index = index
      self.opacity = opacity
      self.shiftInWidths = shiftInWidths
      self.shift = shift
    }
  }

  /// Of the overlay as a whole, 0…1.
  public var opacity: Double
  /// The opacity of the curtain above the pages, 0…1.
  public var curtain: Double
  /// The pages that are seen. All others are transparent.
  public var pages: [Page]

  public init(opacity: Double = 1, curtain: Double = 0, pages: [Page] = []) {
    self.opacity = opacity
    self.curtain = curtain
    self.pages = pages
  }
}

/// One page gives way to another.
public struct PageTransition: Sendable, Equatable {
  public var from: Int
  public var to: Int
  public var animation: NavigationAnimation
  /// Whether the flow goes forward; pages then move to the left.
  public var isForward: Bool
  /// Whether pages go on to the left, as texts of this language do.
  public var isRightToLeft = false
  public var start: Duration
  public var timing = FlowTiming.standard

  public var span: Duration {
    switch animation {
    case .fade: timing.curtain + timing.curtain
    case .slide: timing.slide
    case .slideFade: timing.slideFade
    }
  }

  /// When the next page becomes the active one: behind the closed curtain, or when it has arrived.
  public var activation: Duration { start + (animation == .fade ? timing.curtain : span) }

  public func frame(at time: Duration) -> OverlayFrame {
    let elapsed = time - start
    let direction = isForward == isRightToLeft ? -1.0 : 1.0
    switch animation {
    case .fade:
      guard elapsed >= timing.curtain else {
        let part = Easing.part(elapsed, of: timing.curtain)
        return OverlayFrame(curtain: Easing.quadraticOut(part), pages: [.init(index: from)])
      }
      let part = Easing.part(elapsed - timing.curtain, of: timing.curtain)
      return OverlayFrame(curtain: 1 - Easing.quadraticIn(part), pages: [.init(index: to)])
    case .slide:
      let moved = Easing.cubicOut(Easing.part(elapsed, of: span))
      return OverlayFrame(pages: [
        .init(index: from, shiftInWidths: -direction * moved),
        .init(index: to, shiftInWidths: direction * (1 - moved)),
      ])
    case .slideFade:
      let moved = Easing.cubicOut(Easing.part(elapsed, of: span))
      return OverlayFrame(pages: [
        .init(index: from, opacity: 1 - moved, shift: -direction * moved * timing.slideFadeDistance),
        .init(index: to, opacity: moved, shift: direction * (1 - moved) * timing.slideFadeDistance),
      ])
    }
  }
}
