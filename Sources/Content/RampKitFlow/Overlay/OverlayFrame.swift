/// What the overlay looks like at one moment.
package struct OverlayFrame: Sendable, Equatable {
  package struct Page: Sendable, Equatable {
    package var index: Int
    /// 0…1.
    package var opacity: Double
    /// How far the page is moved to the right, in parts of the window's width.
    package var shiftInWidths: Double
    /// How far the page is moved to the right, in pixels of the desktop.
    package var shift: Double

    package init(index: Int, opacity: Double = 1, shiftInWidths: Double = 0, shift: Double = 0) {
      self.index = index
      self.opacity = opacity
      self.shiftInWidths = shiftInWidths
      self.shift = shift
    }
  }

  /// Of the overlay as a whole, 0…1.
  package var opacity: Double
  /// The opacity of the curtain above the pages, 0…1.
  package var curtain: Double
  /// The pages that are seen. All others are transparent.
  package var pages: [Page]

  package init(opacity: Double = 1, curtain: Double = 0, pages: [Page] = []) {
    self.opacity = opacity
    self.curtain = curtain
    self.pages = pages
  }
}

/// One page gives way to another.
package struct PageTransition: Sendable, Equatable {
  package var from: Int
  package var to: Int
  package var animation: NavigationAnimation
  /// Whether the flow goes forward; pages then move to the left.
  package var isForward: Bool
  /// Whether pages go on to the left, as texts of this language do.
  package var isRightToLeft = false
  package var start: Duration
  package var timing = FlowTiming.standard

  package var span: Duration {
    switch animation {
    case .fade: timing.curtain + timing.curtain
    case .slide: timing.slide
    case .slideFade: timing.slideFade
    }
  }

  /// When the next page becomes the active one: behind the closed curtain, or when it has arrived.
  package var activation: Duration { start + (animation == .fade ? timing.curtain : span) }

  package func frame(at time: Duration) -> OverlayFrame {
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

/// The times and distances of the overlay (Flows.md, rule 6).
package struct FlowTiming: Sendable, Equatable {
  package static let standard = FlowTiming()

  /// For the user who wants no animations: everything changes at once.
  package static let withoutAnimations: FlowTiming = {
    var timing = FlowTiming()
    for span in [\FlowTiming.reveal, \.dismissDelay, \.dismiss, \.curtain, \.slide, \.slideFade] {
      timing[keyPath: span] = .zero
    }
    return timing
  }()

  /// The whole overlay appears, with a cubic ease-out.
  package var reveal = Duration.milliseconds(220)
  /// After this time the overlay appears although its first page is not loaded yet.
  package var latestReveal = Duration.milliseconds(600)
  /// Before the overlay disappears.
  package var dismissDelay = Duration.milliseconds(150)
  /// The overlay disappears, with a cubic ease-out.
  package var dismiss = Duration.milliseconds(320)
  /// The curtain covers the page, with a quadratic ease-out; and uncovers the next one, with a quadratic ease-in.
  package var curtain = Duration.milliseconds(160)
  /// With a cubic ease-out over the width of the window.
  package var slide = Duration.milliseconds(300)
  /// With a cubic ease-out over `slideFadeDistance`.
  package var slideFade = Duration.milliseconds(320)
  /// In pixels of the desktop.
  package var slideFadeDistance = 200.0
}

/// Functions from 0…1 to 0…1 by which a movement begins or ends slowly.
enum Easing {
  static func cubicOut(_ t: Double) -> Double { 1 - (1 - t) * (1 - t) * (1 - t) }
  static func quadraticOut(_ t: Double) -> Double { 1 - (1 - t) * (1 - t) }
  static func quadraticIn(_ t: Double) -> Double { t * t }

  /// The part of a span that has passed, 0…1.
  static func part(_ elapsed: Duration, of span: Duration) -> Double {
    guard span > .zero else { return 1 }
    return min(1, max(0, elapsed / span))
  }
}
