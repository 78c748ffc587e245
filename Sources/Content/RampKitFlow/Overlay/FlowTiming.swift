/// The times and distances of the overlay (the dossier, section 3.3).
package struct FlowTiming: Sendable, Equatable {
  package static let standard = FlowTiming()

  /// For a person who wants no animations: everything changes at once.
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
