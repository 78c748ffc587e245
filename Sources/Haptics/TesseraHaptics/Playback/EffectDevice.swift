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
