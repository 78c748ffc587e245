internal import CEvdev
import Foundation

/// A device that is open, and the kernel's requests on it (Documentation/input/ff.rst). Of the one thread that opened it.
///
/// It stays open until it is unplugged or its owner ends: the kernel erases a client's effects when the descriptor is
/// closed, be it by an exit or a crash, and an open one keeps the first pulse of the next pattern an upload cheaper. What
/// the device itself reports (buttons, keys) is masked, so that it neither wakes this process nor is ever held for it.
final class OpenRumbleDevice: EffectDevice {
  let device: RumbleDevice
  let features: ForceFeatures
  let slots: Int
  let descriptor: Int32

  /// - Parameter gain: the volume of the whole device, 0 to 1; nil leaves it as it is.
  /// - Throws: `HapticError`: why it cannot be opened.
  init(_ device: RumbleDevice, gain: Double? = nil) throws(HapticError) {
    guard device.features.canRumble else { throw .cannotRumble(path: device.path) }
    // Effects and their starts are written; nothing is read, and so no right to read is asked for.
    let descriptor = open(device.path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.error(device.path) }
    var evdev: OpaquePointer?
    let status = libevdev_new_from_fd(descriptor, &evdev)
    guard status == 0, let evdev else {
      close(descriptor)
      throw Self.error(device.path, -status)
    }
    defer { libevdev_free(evdev) }
    // The node's number is given to the next device as soon as this one is unplugged.
    guard Self.isSame(evdev, device.identity) else {
      close(descriptor)
      throw .gone(path: device.path)
    }
    features = ForceFeatures { libevdev_has_event_code(evdev, UInt32(EV_FF), UInt32($0)) == 1 }
    var slots: Int32 = 0
    guard tessera_ff_slots(descriptor, &slots) >= 0 else {
      let error = Self.error(device.path)
      close(descriptor)
      throw error
    }
    self.device = device
    self.slots = Int(max(0, slots))
    self.descriptor = descriptor
    // Older kernels than 4.4 do not have it.
    _ = tessera_evdev_ignore_input(descriptor)
    if let gain, features.hasGain { try? write(UInt16(FF_GAIN), Int32(ForceEffect.magnitude(gain))) }
  }

  deinit { close(descriptor) }

  func upload(_ effect: ForceEffect) throws(EffectDeviceError) -> Int16 {
    var record = effect.record
    guard Self.uninterrupted({ tessera_ff_upload(descriptor, &record) }) >= 0 else { throw Self.effectError() }
    return record.id
  }

  func start(_ id: Int16) throws(EffectDeviceError) { try write(UInt16(bitPattern: id), 1) }

  func stop(_ id: Int16) throws(EffectDeviceError) { try write(UInt16(bitPattern: id), 0) }

  func erase(_ id: Int16) throws(EffectDeviceError) {
    guard Self.uninterrupted({ tessera_ff_erase(descriptor, Int32(id)) }) >= 0 else { throw Self.effectError() }
  }

  private func write(_ code: UInt16, _ value: Int32) throws(EffectDeviceError) {
    var event = input_event()
    event.type = UInt16(EV_FF)
    event.code = code
    event.value = value
    let size = MemoryLayout<input_event>.size
    guard Self.uninterrupted({ Glibc.write(descriptor, &event, size) }) == size else { throw Self.effectError() }
  }

  /// Signals interrupt what waits for the device's lock.
  private static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private static func isSame(_ evdev: OpaquePointer, _ identity: RumbleDevice.Identity) -> Bool {
    let name = libevdev_get_name(evdev).map { String(cString: $0) } ?? ""
    // `/sys` ends the name with a line end, and so do we not compare spaces.
    return name.trimmingCharacters(in: .whitespacesAndNewlines).prefix(256) == identity.name
      && Int32(identity.vendor, radix: 16) == libevdev_get_id_vendor(evdev)
      && Int32(identity.product, radix: 16) == libevdev_get_id_product(evdev)
  }

  private static func effectError() -> EffectDeviceError {
    switch errno {
    case ENODEV: .gone
    case ENOSPC: .full
    case let code: .refused(code: code)
    }
  }

  private static func error(_ path: String, _ code: Int32 = errno) -> HapticError {
    switch code {
    case EACCES, EPERM: .accessDenied(path: path)
    case ENOENT, ENODEV, ENXIO: .gone(path: path)
    default: .failed(path: path, reason: String(cString: strerror(code)).lowercased())
    }
  }
}

extension RumbleDevice {
  /// Whether this process can use it: how many effects it holds at once, or why not.
  public func probe() -> Result<Int, HapticError> {
    do {
      return .success(try OpenRumbleDevice(self).slots)
    } catch {
      return .failure(error)
    }
  }
}
