import Foundation
import Threads

@testable import Haptics

/// Stands in for a device where only the player's own work is looked at: what it writes, and in which order. Everything
/// that concerns the kernel is tested with the kernel, in the lab.
final class RecordingDevice: EffectDevice, EffectDeviceSource, @unchecked Sendable {
  // `@unchecked Sendable`: its state is under the lock; the protocol's other requirements are constants.
  enum Event: Equatable {
    case upload(Int16, ForceEffect)
    case start(Int16)
    case stop(Int16)
    case erase(Int16)
  }

  struct State {
    var events: [Event] = []
    var held: Set<Int16> = []
    var uses = 0
    var isGone = false
    /// Goes with this start.
    var lastStart = Int.max
    /// The `errno` of every upload.
    var refusal: Int32?
    /// How long an upload takes.
    var uploadTime = Duration.zero
    /// When the last start was written.
    var lastStarted: ContinuousClock.Instant?
    /// Slots that somebody else holds.
    var foreign = 0
  }

  let device: RumbleDevice
  let features: ForceFeatures
  let slots: Int
  let descriptor: Int32 = -1
  let state = Locked(State())

  init(slots: Int = 16, features: ForceFeatures = .rumbleOnly) throws {
    guard
      let device = RumbleDevice(
        sysPath: "/sys/event0", node: "/dev/input/event0", properties: [:],
        attribute: { ["capabilities/ff": "10000 0", "name": "recorder"][$0] })
    else { throw HapticError.noDevice }
    self.device = device
    self.features = features
    self.slots = slots
  }

  var events: [Event] { state.withLock { $0.events } }
  var uploads: Int { events.count { if case .upload = $0 { true } else { false } } }
  var starts: [Int16] { events.compactMap { if case .start(let id) = $0 { id } else { nil } } }

  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice {
    if state.withLock({ $0.isGone }) { throw .noDevice }
    return self
  }

  func used(_ device: RumbleDevice) { state.withLock { $0.uses += 1 } }

  func upload(_ effect: ForceEffect) throws(EffectDeviceError) -> Int16 {
    Thread.sleep(forTimeInterval: state.withLock { $0.uploadTime } / .seconds(1))
    let result = state.withLock { state -> Result<Int16, EffectDeviceError> in
      if state.isGone { return .failure(.gone) }
      if let code = state.refusal { return .failure(.refused(code: code)) }
      guard state.held.count + state.foreign < slots,
        let id = (0..<Int16(slots)).first(where: { !state.held.contains($0) })
      else { return .failure(.full) }
      state.held.insert(id)
      state.events.append(.upload(id, effect))
      return .success(id)
    }
    return try result.get()
  }

  func start(_ id: Int16) throws(EffectDeviceError) { try note(.start(id)) }
  func stop(_ id: Int16) throws(EffectDeviceError) { try note(.stop(id)) }

  func erase(_ id: Int16) throws(EffectDeviceError) {
    try note(.erase(id))
    state.withLock { _ = $0.held.remove(id) }
  }

  private func note(_ event: Event) throws(EffectDeviceError) {
    let isGone = state.withLock { state in
      let isGone = state.isGone
      if !isGone { state.events.append(event) }
      if case .start = event {
        state.lastStarted = .now
        state.lastStart -= 1
        if state.lastStart == 0 { state.isGone = true }
      }
      return isGone
    }
    if isGone { throw .gone }
  }
}
