internal import CTesseraEvdev

/// What a device moves, which is less than it announces: the kernel translates effects for motors that are not there.
public enum RumbleMotors: Sendable, Hashable, CustomStringConvertible {
  /// A strong and a weak motor of any level.
  case two
  /// A strong motor of any level, and a weak one that is on or off.
  case twoWeakOnOff
  /// One motor of any level.
  case one
  /// One motor that is on or off.
  case oneOnOff
  /// A force along an axis, in waves: a wheel, a stick, or the actuator of a phone.
  case waves

  /// - Parameters:
  ///   - vendor: Four hexadecimal digits, as in `/sys`.
  ///   - product: The same.
  ///   - name: The name of the device.
  init(features: ForceFeatures, vendor: String, product: String, name: String) {
    self =
      switch (vendor, product) {
      // Linux, drivers/hid/hid-wiimote-modules.c: any level starts the motor. Also the Wii U Pro Controller.
      case ("057e", "0306"), ("057e", "0330"): .oneOnOff
      // drivers/hid/hid-nintendo.c: a packet has both motors; a single Joy-Con plays its half.
      case ("057e", "2006"), ("057e", "2007"): .one
      // drivers/hid/hid-sony.c (DualShock 3, `right_motor_on`) and hid-bigbenff.c.
      case ("054c", "0268"), ("146b", "0902"): .twoWeakOnOff
      // drivers/hid/hid-sony.c, `motion_send_output_report`: the PlayStation Move plays the higher of both levels.
      case ("054c", "03d5"): .one
      default: Self.vibrators[name] ?? (features.makesWaves ? .waves : .two)
      }
  }

  /// The motors of phones, by the names that their drivers give (drivers/input/misc; the last one is postmarketOS's). All
  /// announce the two motors of `FF_RUMBLE`. Most play the strong level, and the weak one only if the strong one is 0;
  /// sc27xx ignores the strong level, arizona the weak one.
  private static let vibrators: [String: RumbleMotors] = [
    "gpio-vibrator": .oneOnOff, "sc27xx:vibrator": .oneOnOff, "aw86927-haptics": .oneOnOff,
    "isa1200-haptic": .oneOnOff, "drv2665:haptics": .oneOnOff,
    "pwm-vibrator": .one, "pm8xxx_vib_ffmemless": .one, "regulator-haptic": .one, "max77693-haptic": .one,
    "max8997-haptic": .one, "msm-vibrator": .one, "drv260x:haptics": .one, "drv2667:haptics": .one,
    "twl4030:vibrator": .one, "arizona:haptics": .one, "spmi_haptics": .one,
  ]

  /// In words, for `tessera haptic devices`.
  public var description: String {
    switch self {
    case .two: "strong and weak motor"
    case .twoWeakOnOff: "strong motor, weak motor on or off"
    case .one: "one motor"
    case .oneOnOff: "one motor, on or off"
    case .waves: "waves of force, no motors"
    }
  }
}

/// How effects are made for a device: determined when it is opened, so that a pattern starts without a delay.
struct EffectRules: Sendable, Hashable {
  let motors: RumbleMotors
  /// Whether the levels of effects that are played at the same time add up.
  let addsUp: Bool
  /// Whether a wave has an envelope that the device follows.
  let hasEnvelope: Bool
  /// The shortest step of an increase that reaches the motors, in milliseconds.
  let stepLength: Int

  init(_ features: ForceFeatures, vendor: String = "", product: String = "", name: String = "") {
    motors = RumbleMotors(features: features, vendor: vendor, product: product, name: name)
    addsUp = features.isMixedByKernel
    hasEnvelope = features.hasSineEnvelope && !features.isMixedByKernel
    // hid-nintendo sends a level at most every 60 ms over Bluetooth; other motors follow a step after some 30 ms.
    stepLength = vendor == "057e" ? 60 : 30
  }

  init(_ device: any EffectDevice) {
    let identity = device.device.identity
    self.init(device.features, vendor: identity.vendor, product: identity.product, name: identity.name)
  }
}

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
