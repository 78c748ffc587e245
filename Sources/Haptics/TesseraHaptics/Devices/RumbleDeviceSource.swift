import FoundationEssentials
import Glibc
import TesseraDurableFiles
import TesseraThreads
internal import TesseraUdev

/// The choice of the device that plays patterns.
public enum DeviceSelection: Sendable, Equatable {
  /// The first device that can be opened, in this order: the device used last, gamepads, wheels and sticks, other devices.
  case automatic
  /// This device only, by its node or a link to it (`/dev/input/by-id/…`).
  case path(String)
}

/// Finds and opens the device. The devices are listed once, and again after udev has reported a change.
final class RumbleDeviceSource: EffectDeviceSource {
  private struct Known {
    var devices: [RumbleDevice] = []
    /// Whether a device was connected or removed since.
    var isOutdated = true
    var listening: Task<Void, Never>?
  }

  private let selection: DeviceSelection
  private let gain: Double?
  private let memory: LastUsedDevice
  private let unserved: UnservedDevices
  private let known = Locked(Known())

  init(
    selection: DeviceSelection, gain: Double?, memory: LastUsedDevice, unserved: UnservedDevices = .standard
  ) {
    self.selection = selection
    self.gain = gain
    self.memory = memory
    self.unserved = unserved
  }

  deinit { known.withLock { $0.listening }?.cancel() }

  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice {
    if let current, !hasChanged { return current }
    var firstError: HapticError?
    for candidate in try candidates() {
      if let current, current.device == candidate { return current }
      guard !unserved.contains(candidate) else {
        firstError = firstError ?? .unserved(path: candidate.path)
        continue
      }
      do {
        return try OpenRumbleDevice(candidate, gain: gain)
      } catch {
        // Of several that cannot be opened, the first is the default device.
        firstError = firstError ?? error
        if case .disconnected = error { known.withLock { $0.isOutdated = true } }
      }
    }
    throw firstError ?? .noDevice
  }

  func used(_ device: RumbleDevice) {
    if memory.identity != device.identity { memory.remember(device.identity) }
  }

  func leaveOut(_ device: RumbleDevice) {
    unserved.insert(device)
    known.withLock { $0.isOutdated = true }
  }

  private func candidates() throws(HapticError) -> [RumbleDevice] {
    let devices = RumbleDevice.sorted(present(), lastUsed: memory.identity)
    guard case .path(let path) = selection else { return devices }
    // Only event nodes are opened, since opening has side effects on some other devices.
    let node = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let device = devices.first(where: { $0.path == node }) else { throw .notADevice(path: path) }
    return [device]
  }

  // MARK: - Connected devices

  private var hasChanged: Bool { known.withLock { $0.isOutdated } }

  private func present() -> [RumbleDevice] {
    listen()
    // Without udevd no changes are reported; libudev checks the same file. An empty list is never reused either, in
    // case a change was missed.
    let isUdevRunning = access("/run/udev/control", F_OK) == 0
    let valid = known.withLock { known in
      // Reset before the devices are listed, so that a change during the listing is not missed.
      defer { known.isOutdated = false }
      return known.isOutdated || known.listening == nil || !isUdevRunning ? [] : known.devices
    }
    guard valid.isEmpty else { return valid }
    // An error counts as no devices.
    let devices = (try? RumbleDevice.all()) ?? []
    known.withLock { $0.devices = devices }
    return devices
  }

  private func listen() {
    guard known.withLock({ $0.listening == nil }), let events = try? Udev.events(subsystems: ["input"]) else { return }
    let listening = Task { [weak self] in
      for await event in events where event.device.name.hasPrefix("event") {
        guard let self else { return }
        self.known.withLock { $0.isOutdated = true }
      }
    }
    known.withLock { $0.listening = listening }
  }
}

/// A file with the identity of the device that was used last. It is optional: a missing or invalid file is ignored.
public struct LastUsedDevice: Sendable {
  private static let largest = 4096
  private let path: String

  /// `$XDG_DATA_HOME/tessera/haptic-device.json` (XDG Base Directory Specification).
  public static var standard: LastUsedDevice {
    LastUsedDevice(path: UserFolders.data + "/haptic-device.json")
  }

  public init(path: String) { self.path = path }

  public var identity: RumbleDevice.Identity? {
    guard let content = SmallFile.content(of: path, below: Self.largest) else { return nil }
    return try? JSONDecoder().decode(RumbleDevice.Identity.self, from: content)
  }

  func remember(_ identity: RumbleDevice.Identity) {
    guard let content = try? JSONEncoder().encode(identity), content.count < Self.largest else { return }
    SmallFile.write(content, to: path)
  }
}
