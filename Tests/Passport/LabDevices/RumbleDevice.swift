import CLab
import Foundation
import Synchronization
import TesseraCore

/// A gamepad of the kernel's `uinput` that records every force-feedback request (Documentation/input/uinput.rst). The
/// initialiser plugs it in; `unplug()` or `deinit` unplugs it.
public final class VirtualRumbleDevice: Sendable {
  /// The identity and the capabilities of the device.
  public struct Model: Sendable {
    public var name = "Tessera Lab Pad"
    public var vendor: UInt16 = 0x1D50
    public var product: UInt16 = 0x0001
    public var slots: UInt32 = 16
    /// `FF_…`
    public var forces: [Int32] = [FF_RUMBLE, FF_GAIN]
    /// `BTN_…`, `KEY_…`
    public var keys: [Int32] = [BTN_SOUTH, BTN_EAST]
    /// The duration of an upload, in microseconds.
    public var uploadTime: UInt32 = 0
    /// The `errno` of every upload; 0 for success.
    public var refusal: Int32 = 0

    public init() {}

    public static func pad(_ name: String) -> Model {
      var model = Model()
      model.name = name
      return model
    }
  }

  public struct Effect: Sendable, Equatable {
    public enum Force: Sendable, Equatable {
      case rumble(strong: UInt16, weak: UInt16)
      case sine(magnitude: Int16, attack: UInt16)
      case other(type: UInt16)
    }

    public let force: Force
    /// In milliseconds.
    public let length: UInt16
    public let delay: UInt16

    init(_ effect: ff_effect) {
      switch Int32(effect.type) {
      case FF_RUMBLE:
        force = .rumble(strong: effect.u.rumble.strong_magnitude, weak: effect.u.rumble.weak_magnitude)
      case FF_PERIODIC where Int32(effect.u.periodic.waveform) == FF_SINE:
        force = .sine(magnitude: effect.u.periodic.magnitude, attack: effect.u.periodic.envelope.attack_length)
      default: force = .other(type: effect.type)
      }
      length = effect.replay.length
      delay = effect.replay.delay
    }
  }

  public enum Event: Sendable, Equatable {
    case upload(id: Int16, Effect)
    case erase(id: Int16)
    /// `EV_FF`: the number of repetitions, 0 for stop, and the effect in the slot.
    case play(id: Int16, times: Int32, Effect?)
    case gain(Int32)
  }

  public struct Entry: Sendable {
    /// The kernel's monotonic time, in milliseconds.
    public let time: Double
    public let event: Event
  }

  private struct State {
    var entries: [Entry] = []
    var uploaded: [Int16: Effect] = [:]
    var isPlugged = true
    var onEvent: (@Sendable (Event) -> Void)?
  }

  private let model: Model
  private let descriptor: FileDescriptor
  private let state = Mutex(State())
  /// `/dev/input/event…`
  public let path: String
  /// The folder of the event node below `/sys`.
  public let sysPath: String

  public init(_ model: Model = Model()) throws {
    self.model = model
    descriptor = try FileDescriptor(opening: "/dev/uinput")
    let device = descriptor.number
    if !model.forces.isEmpty { try Self.check(tessera_ui_set_event_bit(device, EV_FF), "UI_SET_EVBIT") }
    for force in model.forces { try Self.check(tessera_ui_set_ff_bit(device, force), "UI_SET_FFBIT") }
    if !model.keys.isEmpty { try Self.check(tessera_ui_set_event_bit(device, EV_KEY), "UI_SET_EVBIT") }
    for key in model.keys { try Self.check(tessera_ui_set_key_bit(device, key), "UI_SET_KEYBIT") }
    var setup = uinput_setup()
    setup.id.bustype = UInt16(BUS_USB)
    setup.id.vendor = model.vendor
    setup.id.product = model.product
    setup.ff_effects_max = model.slots
    withUnsafeMutableBytes(of: &setup.name) { $0.copyBytes(from: model.name.utf8.prefix($0.count - 1)) }
    try Self.check(tessera_ui_setup(device, &setup), "UI_DEV_SETUP")
    try Self.check(tessera_ui_create(device), "UI_DEV_CREATE")
    var name = [CChar](repeating: 0, count: 64)
    try Self.check(tessera_ui_name(device, &name, name.count), "UI_GET_SYSNAME")
    let input = "/sys/devices/virtual/input/" + String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    guard let event = try Self.eventNode(of: input) else {
      throw Failure(.noDevice, "\(input) has no event node, or udev does not list it.")
    }
    path = "/dev/input/" + event
    sysPath = input + "/" + event
    // The kernel waits for the answer to every upload, so a thread must give it.
    let thread = Thread { [weak self, descriptor] in
      while let event = Self.next(descriptor, while: { self?.isPlugged ?? false }) {
        guard let self else { return }
        self.take(event)
      }
    }
    thread.name = "rumble device"
    thread.start()
  }

  deinit { unplug() }

  /// Unplugs the device, also during an effect.
  public func unplug() {
    let wasPlugged = state.withLock { state in
      defer { state.isPlugged = false }
      return state.isPlugged
    }
    if wasPlugged { _ = tessera_ui_destroy(descriptor.number) }
  }

  public var isPlugged: Bool { state.withLock { $0.isPlugged } }

  /// The requests so far, in order.
  public var entries: [Entry] { state.withLock { $0.entries } }

  public var events: [Event] { entries.map(\.event) }

  /// The effects in the slots.
  public var uploaded: [Int16: Effect] { state.withLock { $0.uploaded } }

  public func forgetEntries() { state.withLock { $0.entries = [] } }

  /// Runs a closure at a request, on the device's thread.
  public func onEvent(_ action: (@Sendable (Event) -> Void)?) { state.withLock { $0.onEvent = action } }

  /// Presses and releases a button.
  public func press(_ key: Int32) {
    for (type, code, value) in [(EV_KEY, key, 1), (EV_SYN, 0, 0), (EV_KEY, key, 0), (EV_SYN, 0, 0)]
      as [(Int32, Int32, Int32)]
    {
      var event = input_event()
      event.type = UInt16(type)
      event.code = UInt16(code)
      event.value = value
      descriptor.write(withUnsafeBytes(of: event) { Array($0) })
    }
  }

  /// Waits until the recorded requests fulfil a condition.
  public func wait(within seconds: Double = 20, until condition: ([Event]) -> Bool) async -> Bool {
    let deadline = Date.now.addingTimeInterval(seconds)
    while !condition(events) {
      guard Date.now < deadline else { return false }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return true
  }

  // MARK: - The kernel's side

  private func take(_ event: input_event) {
    let time = Double(event.time.tv_sec) * 1000 + Double(event.time.tv_usec) / 1000
    switch (Int32(event.type), Int32(event.code)) {
    case (Int32(EV_UINPUT), Int32(UI_FF_UPLOAD)):
      var upload = uinput_ff_upload()
      upload.request_id = UInt32(bitPattern: event.value)
      guard tessera_ui_begin_upload(descriptor.number, &upload) == 0 else { return }
      let effect = Effect(upload.effect)
      usleep(model.uploadTime)
      if model.refusal == 0 { note(.upload(id: upload.effect.id, effect), time) { $0[upload.effect.id] = effect } }
      upload.retval = -model.refusal
      _ = tessera_ui_end_upload(descriptor.number, &upload)
    case (Int32(EV_UINPUT), Int32(UI_FF_ERASE)):
      var erase = uinput_ff_erase()
      erase.request_id = UInt32(bitPattern: event.value)
      guard tessera_ui_begin_erase(descriptor.number, &erase) == 0 else { return }
      let id = Int16(truncatingIfNeeded: erase.effect_id)
      note(.erase(id: id), time) { $0[id] = nil }
      erase.retval = 0
      _ = tessera_ui_end_erase(descriptor.number, &erase)
    case (EV_FF, FF_GAIN): note(.gain(event.value), time)
    case (EV_FF, let code):
      let id = Int16(truncatingIfNeeded: code)
      note(.play(id: id, times: event.value, uploaded[id]), time)
    default: break
    }
  }

  private func note(_ event: Event, _ time: Double, _ change: (inout [Int16: Effect]) -> Void = { _ in }) {
    let action = state.withLock { state in
      change(&state.uploaded)
      state.entries.append(Entry(time: time, event: event))
      return state.onEvent
    }
    action?(event)
  }

  private static func next(_ descriptor: FileDescriptor, while isRunning: () -> Bool) -> input_event? {
    while isRunning() {
      var ready = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 100) > 0 else { continue }
      var event = input_event()
      guard read(descriptor.number, &event, MemoryLayout<input_event>.size) == MemoryLayout<input_event>.size else {
        return nil
      }
      return event
    }
    return nil
  }

  /// `event…`, after udev has processed its rules for it.
  private static func eventNode(of input: String) throws -> String? {
    for _ in 0..<1000 {
      let event = (try? FileManager.default.contentsOfDirectory(atPath: input))?.first { $0.hasPrefix("event") }
      if let event, let number = try? String(contentsOfFile: "\(input)/\(event)/dev", encoding: .utf8),
        access("/run/udev/data/c" + number.trimmingCharacters(in: .whitespacesAndNewlines), F_OK) == 0
      {
        return event
      }
      usleep(10_000)
    }
    return nil
  }

  private static func check(_ result: Int32, _ request: String) throws {
    guard result >= 0 else {
      throw Failure(.noDevice, "\(request) failed: \(String(cString: strerror(errno)))")
    }
  }
}
