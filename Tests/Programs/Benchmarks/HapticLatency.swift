import Foundation
import Tessera
import TesseraHaptics
import TesseraThreads

/// The time from a call to the first `EV_FF` write. The device is simulated in this process, to record the time of the
/// write; the lab tests the kernel's part.
enum HapticLatency {
  static func run() async throws -> [Measurement] {
    let pulse = try HapticPattern([HapticPulse(start: 0, length: 1, strong: 1, weak: 1)])
    var first: [Duration] = []
    for _ in 0..<50 {
      guard let device = TimingDevice() else { return [] }
      let player = RumblePlayer(source: device)
      first.append(await device.time { player.start(pulse) })
    }

    guard let device = TimingDevice() else { return [] }
    let player = RumblePlayer(source: device)
    var later: [Duration] = []
    for _ in 0..<1000 { later.append(await device.time { player.start(pulse) }) }

    let registry = SdkProviderRegistry()
    let router = MessageRouter.withSystemProviders(registry: registry)
    registry.register { $0.haptic = EvdevHapticProvider(player: player) }
    let request = """
      {"type": "request", "version": 1, "id": "f4a45cbb-a892-49ba-884e-dbb8d9be383c", "domain": "haptic",
       "method": "impact", "params": {"style": "light"}, "timestamp": 1}
      """
    var bridged: [Duration] = []
    for _ in 0..<100 {
      bridged.append(await device.time { await router.route(request, from: .local) { _ in } })
      await player.finish()
    }
    return rows("rumble, call to first EV_FF write, new player", first)
      + rows("rumble, call to first EV_FF write", later)
      + rows("rumble, bridge message to first EV_FF write", bridged)
  }

  private static func rows(_ name: String, _ times: [Duration]) -> [Measurement] {
    let sorted = times.map { $0 / .milliseconds(1) }.sorted()
    guard let worst = sorted.last else { return [] }
    return [
      ("median", sorted[sorted.count / 2]), ("99 %", sorted[sorted.count * 99 / 100]), ("worst", worst),
    ].map { part, value in Measurement("\(name), elapsed, \(part)", value, .milliseconds) }
  }
}

/// Records the time of its last start.
private final class TimingDevice: EffectDevice, EffectDeviceSource {
  let device: RumbleDevice
  let features = ForceFeatures { $0 == 0x50 }
  let slots = 16
  let descriptor: Int32 = -1
  private let started = Locked<ContinuousClock.Instant?>(nil)

  init?() {
    guard
      let device = RumbleDevice(
        sysPath: "/sys/event0", node: "/dev/input/event0", properties: [:],
        attribute: { ["capabilities/ff": "10000 0"][$0] })
    else { return nil }
    self.device = device
  }

  func time(_ call: () async -> Void) async -> Duration {
    // Until the last pulse has ended and the player sleeps.
    try? await Task.sleep(for: .milliseconds(3))
    started.withLock { $0 = nil }
    let before = ContinuousClock.now
    await call()
    while true {
      if let time = started.withLock({ $0 }) { return before.duration(to: time) }
      await Task.yield()
    }
  }

  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice { self }
  func used(_ device: RumbleDevice) {}
  func upload(_ effect: ForceEffect) throws(EffectDeviceError) -> Int16 { 0 }
  func start(_ id: Int16) throws(EffectDeviceError) { started.withLock { $0 = $0 ?? .now } }
  func stop(_ id: Int16) throws(EffectDeviceError) {}
  func erase(_ id: Int16) throws(EffectDeviceError) {}
}
