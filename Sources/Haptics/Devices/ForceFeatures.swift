internal import CEvdev

/// What kinds of force a device says it can make (linux/input-event-codes.h, `FF_…`).
public struct ForceFeatures: Sendable, Hashable {
  public enum Waveform: String, Sendable, CaseIterable {
    case square, triangle, sine, sawUp, sawDown, custom
  }

  /// Two motors, each with a level of its own. The kernel shows it too for every device that has waveforms only, and
  /// translates (`compat_effect` in drivers/input/ff-core.c).
  public let hasRumble: Bool
  /// Waveforms with an envelope. The kernel shows it too for every device that has motors only and whose driver leaves
  /// the mixing to it, and translates (`ml_combine_effects` in drivers/input/ff-memless.c).
  public let hasPeriodic: Bool
  public let waveforms: [Waveform]
  /// One volume for everything.
  public let hasGain: Bool

  /// - Parameter has: whether the device has the bit of this code.
  package init(_ has: (Int32) -> Bool) {
    hasRumble = has(FF_RUMBLE)
    hasPeriodic = has(FF_PERIODIC)
    waveforms = zip(Waveform.allCases, FF_SQUARE...FF_CUSTOM).filter { has($0.1) }.map(\.0)
    hasGain = has(FF_GAIN)
  }

  /// Whether a wave can swell.
  var hasSwell: Bool { hasPeriodic && waveforms.contains(.sine) }

  public var canRumble: Bool { hasRumble || hasSwell }
}
