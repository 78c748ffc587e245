/// What a player needs of a device: the seam at which the timing is measured without one.
package protocol EffectDevice: AnyObject {
  var device: RumbleDevice { get }
  var features: ForceFeatures { get }
  /// How many effects it holds at once, those of all programs together.
  var slots: Int { get }
  /// Tells of a hang-up when the device goes; -1 where there is none.
  var descriptor: Int32 { get }

  func upload(_ effect: ForceEffect) throws(EffectDeviceError) -> Int16
  func start(_ id: Int16) throws(EffectDeviceError)
  func stop(_ id: Int16) throws(EffectDeviceError)
  func erase(_ id: Int16) throws(EffectDeviceError)
}

package enum EffectDeviceError: Error {
  case gone
  /// Every slot is taken, by whomever.
  case full
  /// The driver does not take this effect, and says why by an `errno`.
  case refused(code: Int32)
}

/// Where a player gets its device from.
package protocol EffectDeviceSource: Sendable {
  /// The device to play on now.
  ///
  /// - Parameter current: the one that is open; the same is given back as long as it is the right one.
  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice

  /// Something was played on it.
  func used(_ device: RumbleDevice)
}
