internal import CTesseraEvdev
import FoundationEssentials
import Glibc
import TesseraCore

/// An open device and the kernel's requests on it (Documentation/input/ff.rst). Used only by the thread that opened it.
///
/// The device stays open until it is unplugged or this object is released. The kernel erases the effects when the
/// descriptor is closed, even after a crash; while it is open, effects need not be uploaded again. Input events
/// (buttons, keys) are masked, so that they neither wake this process nor are buffered for it.
final class OpenRumbleDevice: EffectDevice {
  let device: RumbleDevice
  let features: ForceFeatures
  let slots: Int
  let descriptor: Int32
  private let gain: Double?

  /// - Parameter gain: The gain of the whole device, 0 to 1; nil to leave it unchanged.
  /// - Throws: `HapticError` if the device cannot be opened.
  init(_ device: RumbleDevice, gain: Double? = nil) throws(HapticError) {
    guard device.features.canRumble else { throw .cannotRumble(path: device.path) }
    // Nothing is read from the device, so no read permission is required.
    let descriptor = open(device.path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.error(device.path) }
    var evdev: OpaquePointer?
    let status = libevdev_new_from_fd(descriptor, &evdev)
    guard status == 0, let evdev else {
      close(descriptor)
      throw Self.error(device.path, -status)
    }
    defer { libevdev_free(evdev) }
    // The kernel reuses the number of the node as soon as a device is unplugged.
    guard Self.isSame(evdev, device.identity) else {
      close(descriptor)
      throw .disconnected(path: device.path)
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
    // Not supported by kernels before 4.4.
    _ = tessera_evdev_ignore_input(descriptor)
    self.gain = gain
    prepare()
  }

  deinit { close(descriptor) }

  /// Sets the gain. The device keeps what any program sets, even after that program has ended, and does not tell it.
  func prepare() {
    guard let gain, features.hasGain else { return }
    try? write(UInt16(FF_GAIN), Int32(ForceEffect.magnitude(gain)))
  }

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

  /// Repeats a call that a signal interrupted.
  private static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private static func isSame(_ evdev: OpaquePointer, _ identity: RumbleDevice.Identity) -> Bool {
    let name = libevdev_get_name(evdev).map { String(cString: $0) } ?? ""
    // `/sys` ends the name with a newline, so white space is not compared.
    return name.trimmed.prefix(256) == identity.name
      && Int32(identity.vendor, radix: 16) == libevdev_get_id_vendor(evdev)
      && Int32(identity.product, radix: 16) == libevdev_get_id_product(evdev)
  }

  private static func effectError() -> EffectDeviceError {
    switch errno {
    case ENODEV: .disconnected
    case ETIMEDOUT: .unserved
    case ENOSPC: .full
    case let code: .refused(code: code)
    }
  }

  private static func error(_ path: String, _ code: Int32 = errno) -> HapticError {
    switch code {
    case EACCES, EPERM: .accessDenied(path: path)
    case ENOENT, ENODEV, ENXIO: .disconnected(path: path)
    default: .failed(path: path, reason: String(cString: strerror(code)).lowercased())
    }
  }
}

extension RumbleDevice {
  /// Opens the device briefly. Returns the number of effects that it can store, or the reason why it cannot be used.
  ///
  /// - Parameter leftOut: The devices that nobody serves.
  public func probe(leftOut: UnservedDevices = .standard) -> Result<Int, HapticError> {
    guard !leftOut.contains(self) else { return .failure(.unserved(path: path)) }
    do {
      return .success(try OpenRumbleDevice(self).slots)
    } catch {
      return .failure(error)
    }
  }
}
