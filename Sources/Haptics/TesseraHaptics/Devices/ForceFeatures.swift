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
  /// A constant force. Only devices that make waves themselves announce it, and wheels.
  public let hasConstantForce: Bool
  /// Whether the device has a gain for all effects.
  public let hasGain: Bool

  /// - Parameter has: Returns whether the device announces this code.
  package init(_ has: (Int32) -> Bool) {
    hasRumble = has(FF_RUMBLE)
    hasPeriodic = has(FF_PERIODIC)
    waveforms = zip(Waveform.allCases, FF_SQUARE...FF_CUSTOM).filter { has($0.1) }.map(\.0)
    hasConstantForce = has(FF_CONSTANT)
    hasGain = has(FF_GAIN)
  }

  /// Whether the device plays sine waves with an envelope.
  var hasSineEnvelope: Bool { hasPeriodic && waveforms.contains(.sine) }

  /// Whether the device announces a force that only devices without motors have; then the kernel has added rumble, and
  /// translates it.
  var makesWaves: Bool {
    hasSineEnvelope
      && (!hasRumble || hasConstantForce || waveforms.contains(.sawUp) || waveforms.contains(.sawDown))
  }

  /// Whether the kernel mixes the effects for the device's motors (drivers/input/ff-memless.c), which it announces by
  /// exactly these features. It adds up the levels of effects that are played at the same time. It looks at an envelope
  /// every 50 ms only, so that an attack begins with 50 ms of silence.
  var isMixedByKernel: Bool {
    hasRumble && hasPeriodic && hasGain && !hasConstantForce && waveforms == [.square, .triangle, .sine]
  }

  public var canRumble: Bool { hasRumble || hasSineEnvelope }
}
