internal import CTesseraEvdev

/// The force-feedback effects that a device announces (linux/input-event-codes.h, `FF_…`).
public struct ForceFeatures: Sendable, Hashable {
  public enum Waveform: String, Sendable, CaseIterable {
    case square, triangle, sine, sawUp, sawDown, custom
  }

  /// Two motors with separate levels. The kernel also announces this for devices with waveforms only, and translates
  /// (`compat_effect` in drivers/input/ff-core.c).
  public let hasRumble: Bool
  /// Waveforms with an envelope. The kernel also announces this for devices with motors only whose driver uses the
  /// kernel's mixing, and translates (`ml_combine_effects` in drivers/input/ff-memless.c).
  public let hasPeriodic: Bool
  public let waveforms: [Waveform]
  /// Whether the device has a gain for all effects.
  public let hasGain: Bool

  /// - Parameter has: Returns whether the device announces this code.
  package init(_ has: (Int32) -> Bool) {
    hasRumble = has(FF_RUMBLE)
    hasPeriodic = has(FF_PERIODIC)
    waveforms = zip(Waveform.allCases, FF_SQUARE...FF_CUSTOM).filter { has($0.1) }.map(\.0)
    hasGain = has(FF_GAIN)
  }

  /// Whether the device plays sine waves with an envelope.
  var hasSineEnvelope: Bool { hasPeriodic && waveforms.contains(.sine) }

  public var canRumble: Bool { hasRumble || hasSineEnvelope }
}
