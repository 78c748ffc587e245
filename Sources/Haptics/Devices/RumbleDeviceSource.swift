import Foundation
import Threads
import Udev

/// Which device patterns go to.
public enum DeviceSelection: Sendable, Equatable {
  /// The one used last, then a gamepad, then whatever there is: the first of them that can be opened.
  case automatic
  /// This one, by its node or a link to it (`/dev/input/by-id/…`), and no other.
  case path(String)
}

/// Finds and opens the device. What is plugged in is looked up once, and again after udev has told of a change.
final class RumbleDeviceSource: EffectDeviceSource {
  private struct Known {
    var devices: [RumbleDevice] = []
    /// Whether something was plugged in or out since.
    var isOld = true
    var listening: Task<Void, Never>?
  }

  private let selection: DeviceSelection
  private let gain: Double
  private let memory: LastUsedDevice
  private let known = Locked(Known())

  init(selection: DeviceSelection, gain: Double, memory: LastUsedDevice) {
    self.selection = selection
    self.gain = gain
    self.memory = memory
  }

  deinit { known.withLock { $0.listening }?.cancel() }

  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice {
    if let current, !hasChanged { return current }
    var obstacle: HapticError?
    for candidate in try candidates() {
      if let current, current.device == candidate { return current }
      do {
        return try OpenRumbleDevice(candidate, gain: gain)
      } catch {
        // Of several that cannot be opened, the first is the one that was meant.
        obstacle = obstacle ?? error
        if case .gone = error { known.withLock { $0.isOld = true } }
      }
    }
    throw obstacle ?? .noDevice
  }

  func used(_ device: RumbleDevice) {
    if memory.identity != device.identity { memory.remember(device.identity) }
  }

  private func candidates() throws(HapticError) -> [RumbleDevice] {
    let devices = RumbleDevice.sorted(present(), lastUsed: memory.identity)
    guard case .path(let path) = selection else { return devices }
    // Only what is known to be an event node is ever opened: an open alone makes some other devices act.
    let node = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let device = devices.first(where: { $0.path == node }) else { throw .notADevice(path: path) }
    return [device]
  }

  // MARK: - What is plugged in

  private var hasChanged: Bool { known.withLock { $0.isOld } }

  private func present() -> [RumbleDevice] {
    listen()
    // Nobody tells of changes where no udevd runs; libudev looks for the same file. And who knows of none looks again,
    // should a change not have been told.
    let isUdevThere = access("/run/udev/control", F_OK) == 0
    let valid = known.withLock { known in
      // Before the look: what comes meanwhile counts as news.
      defer { known.isOld = false }
      return known.isOld || known.listening == nil || !isUdevThere ? [] : known.devices
    }
    guard valid.isEmpty else { return valid }
    // A system that does not tell its devices has none for us.
    let devices = (try? RumbleDevice.all()) ?? []
    known.withLock { $0.devices = devices }
    return devices
  }

  private func listen() {
    guard known.withLock({ $0.listening == nil }), let events = try? Udev.events(subsystems: ["input"]) else { return }
    let listening = Task { [weak self] in
      for await event in events where event.device.name.hasPrefix("event") {
        guard let self else { return }
        self.known.withLock { $0.isOld = true }
      }
    }
    known.withLock { $0.listening = listening }
  }
}
