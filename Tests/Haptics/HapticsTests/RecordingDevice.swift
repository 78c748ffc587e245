import Foundation
import TesseraThreads
import TestSupport

@testable import TesseraHaptics

/// A simulated device that records the player's writes in order. The kernel's part is
/// tested in the lab, with the real kernel.
final class RecordingDevice: EffectDevice, EffectDeviceSource, @unchecked Sendable {
  // `@unchecked Sendable`: its state is under the lock; the protocol's other requirements are constants.
  enum Event: Equatable {
    case upload(Int16, ForceEffect)
    case start(Int16)
    case stop(Int16)
    case erase(Int16)
    case noteUse
    case prepare
    case leaveOut
  }

  struct State {
    var events: [Event] = []
    var uploaded: Set<Int16> = []
    var isDisconnected = false
    /// The device is unplugged at the start with this number.
    var lastStart = Int.max
    /// The `errno` of every upload.
    var refusal: Int32?
    /// How long an upload takes: the clock moves by it.
    var uploadTime = Duration.zero
    /// The device is unplugged during the next upload.
    var isUnpluggedByUpload = false
    /// The next upload fails because the device is unplugged.
    var isMissingForUpload = false
    /// When the last start was written.
    var lastStarted: ContinuousClock.Instant?
    var startTimes: [ContinuousClock.Instant] = []
    /// How long the write of a start takes.
    var startTime = Duration.zero
    /// Nobody answers uploads after this number of them.
    var servedUploads = Int.max
    /// Slots that other programs use.
    var foreign = 0
  }

  let device: RumbleDevice
  let features: ForceFeatures
  let slots: Int
  /// The read end of a pipe, which reports POLLHUP when the write end is closed.
  let descriptor: Int32
  private let plug: FileHandle
  private let socket: FileHandle
  let state = Locked(State())
  let clock: ManualClock

  private let staysAfterLeavingOut: Bool

  init(
    slots: Int = 16, features: ForceFeatures = .rumbleOnly, clock: ManualClock = ManualClock(passes: true),
    number: Int = 0, staysAfterLeavingOut: Bool = false
  ) throws {
    guard
      let device = RumbleDevice(
        sysPath: "/sys/event\(number)", node: "/dev/input/event\(number)", properties: [:],
        attribute: { ["capabilities/ff": "10000 0", "name": "recorder"][$0] })
    else { throw HapticError.noDevice }
    let pipe = Pipe()
    socket = pipe.fileHandleForReading
    plug = pipe.fileHandleForWriting
    descriptor = socket.fileDescriptor
    self.device = device
    self.features = features
    self.slots = slots
    self.clock = clock
    self.staysAfterLeavingOut = staysAfterLeavingOut
  }

  /// A new player on this device and its clock.
  var player: RumblePlayer { RumblePlayer(source: self, clock: clock) }

  var events: [Event] { state.withLock { $0.events } }
  var uploads: Int { events.count { if case .upload = $0 { true } else { false } } }
  var starts: [Int16] { events.compactMap { if case .start(let id) = $0 { id } else { nil } } }

  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice {
    if state.withLock({ $0.isDisconnected }) { throw .noDevice }
    return self
  }

  func leaveOut(_ device: RumbleDevice) {
    state.withLock { state in
      state.events.append(.leaveOut)
      if !staysAfterLeavingOut { state.isDisconnected = true }
    }
  }

  func prepare() { state.withLock { $0.events.append(.prepare) } }

  func used(_ device: RumbleDevice) { state.withLock { $0.events.append(.noteUse) } }

  func upload(_ effect: ForceEffect) throws(EffectDeviceError) -> Int16 {
    clock.advance(by: state.withLock { $0.uploadTime })
    let result = state.withLock { state -> Result<Int16, EffectDeviceError> in
      if state.isMissingForUpload { state.isDisconnected = true }
      if state.isDisconnected { return .failure(.disconnected) }
      if state.isUnpluggedByUpload { try? plug.close() }
      state.servedUploads -= 1
      if state.servedUploads < 0 { return .failure(.unserved) }
      if let code = state.refusal { return .failure(.refused(code: code)) }
      guard state.uploaded.count + state.foreign < slots,
        let id = (0..<Int16(slots)).first(where: { !state.uploaded.contains($0) })
      else { return .failure(.full) }
      state.uploaded.insert(id)
      state.events.append(.upload(id, effect))
      return .success(id)
    }
    return try result.get()
  }

  func start(_ id: Int16) throws(EffectDeviceError) { try note(.start(id)) }
  func stop(_ id: Int16) throws(EffectDeviceError) { try note(.stop(id)) }

  func erase(_ id: Int16) throws(EffectDeviceError) {
    try note(.erase(id))
    state.withLock { _ = $0.uploaded.remove(id) }
  }

  private func note(_ event: Event) throws(EffectDeviceError) {
    let now = clock.now
    let isDisconnected = state.withLock { state in
      let isDisconnected = state.isDisconnected
      if !isDisconnected { state.events.append(event) }
      if case .start = event {
        state.lastStarted = now
        state.startTimes.append(now)
        state.lastStart -= 1
        if state.lastStart == 0 { state.isDisconnected = true }
      }
      return isDisconnected
    }
    if case .start = event { clock.advance(by: state.withLock { $0.startTime }) }
    if isDisconnected { throw .disconnected }
  }
}

/// Several devices, the first of which is the default one.
final class DeviceList: EffectDeviceSource {
  private let devices: [RecordingDevice]
  private let leftOut = Locked<[RumbleDevice]>([])

  init(_ devices: [RecordingDevice]) { self.devices = devices }

  func device(after current: (any EffectDevice)?) throws(HapticError) -> any EffectDevice {
    let leftOut = leftOut.withLock { $0 }
    if let next = devices.first(where: { !leftOut.contains($0.device) }) { return next }
    throw devices.first.map { .unserved(path: $0.device.path) } ?? .noDevice
  }

  func used(_ device: RumbleDevice) { devices.first { $0.device == device }?.used(device) }

  func leaveOut(_ device: RumbleDevice) {
    leftOut.withLock { $0.append(device) }
    devices.first { $0.device == device }?.leaveOut(device)
  }
}
