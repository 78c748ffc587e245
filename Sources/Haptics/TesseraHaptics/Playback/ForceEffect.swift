internal import CTesseraEvdev

/// The parameters of an effect. Equal effects share one slot.
package struct ForceEffect: Sendable, Hashable {
  package enum Force: Sendable, Hashable {
    /// `FF_RUMBLE`: both motors, 0 to 0xFFFF.
    case rumble(strong: UInt16, weak: UInt16)
    /// `FF_PERIODIC` with `FF_SINE`: 0 to 0x7FFF, with an attack from zero in milliseconds.
    case sine(magnitude: UInt16, attack: UInt16)
  }

  package let force: Force
  /// In milliseconds.
  package let length: UInt16

  /// The period in milliseconds: that of the wave with which the kernel replaces rumble (`compat_effect`).
  private static let period: UInt16 = 50
  /// From the left, clockwise in 0x10000 parts of a circle (linux/input.h, `ff_effect`): along the axis X, which is the only
  /// one of a wheel. 0 would be along Y.
  private static let direction: UInt16 = 0x4000

  /// The kernel's structure; the id -1 requests a new slot.
  var record: ff_effect {
    var record = ff_effect()
    record.id = -1
    record.replay.length = length
    switch force {
    case .rumble(let strong, let weak):
      record.type = UInt16(FF_RUMBLE)
      record.u.rumble = ff_rumble_effect(strong_magnitude: strong, weak_magnitude: weak)
    case .sine(let magnitude, let attack):
      record.type = UInt16(FF_PERIODIC)
      record.direction = Self.direction
      record.u.periodic.waveform = UInt16(FF_SINE)
      record.u.periodic.period = Self.period
      record.u.periodic.magnitude = Int16(clamping: magnitude)
      record.u.periodic.envelope.attack_length = attack
    }
    return record
  }

  /// The kernel's magnitude for a level of 0 to 1; other levels are clamped.
  static func magnitude(_ level: Double, full: UInt16 = 0xFFFF) -> UInt16 {
    guard level > 0 else { return 0 }
    return level >= 1 ? full : UInt16((level * Double(full)).rounded())
  }
}

/// An effect and its start, in milliseconds from the start of its pattern.
package struct TimedEffect: Sendable, Hashable {
  let start: Int
  let effect: ForceEffect
  var end: Int { start + Int(effect.length) }
}

/// A device for a player; tests replace it to measure the timing.
package protocol EffectDevice: AnyObject {
  var device: RumbleDevice { get }
  var features: ForceFeatures { get }
  /// The number of effects that the device can store, for all programs together.
  var slots: Int { get }
  /// Reports POLLHUP when the device is unplugged; -1 if there is no descriptor.
  var descriptor: Int32 { get }

  /// Sets what other programs may have changed on the device since, before a pattern that is played alone.
  func prepare()
  func upload(_ effect: ForceEffect) throws(EffectDeviceError) -> Int16
  func start(_ id: Int16) throws(EffectDeviceError)
  func stop(_ id: Int16) throws(EffectDeviceError)
  func erase(_ id: Int16) throws(EffectDeviceError)
}

extension EffectDevice {
  package func prepare() {}
}

package enum EffectDeviceError: Error {
  /// The device was unplugged.
  case disconnected
  /// Nobody answered the upload: the kernel waits for 30 s for the program that made the device (uinput).
  case unserved
  /// All slots are in use.
  case full
  /// The driver refused the effect with this `errno`.
  case refused(code: Int32)
}

/// The source of a player's device.
package protocol EffectDeviceSource: Sendable {
  /// The device to play on now.
  ///
  /// - Parameter current: The device that is open; it is returned again while it is still the preferred one.
  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice

  /// Notes that a pattern was played on the device. It may take as long as writing a file. The player calls it at the
  /// first moment at which it plays no pattern.
  func used(_ device: RumbleDevice)

  /// Leaves this device out until it is connected again, since nobody serves it.
  func leaveOut(_ device: RumbleDevice)
}

extension EffectDeviceSource {
  package func leaveOut(_ device: RumbleDevice) {}
}
