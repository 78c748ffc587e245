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
      // The motor of a phone, of drivers/input/misc/gpio-vibra.c, pwm-vibra.c and pm8xxx-vibrator.c.
      default:
        switch name {
        case "gpio-vibrator": .oneOnOff
        case "pwm-vibrator", "pm8xxx_vib_ffmemless": .one
        default: features.makesWaves ? .waves : .two
        }
      }
  }

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
