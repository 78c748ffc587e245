import Foundation
import Testing

@testable import TesseraHaptics

@Suite("Effect slots of a device")
struct EffectSlotsTests {
  private static func effect(_ level: UInt16) -> ForceEffect {
    ForceEffect(force: .rumble(strong: level, weak: 0), length: 10)
  }

  private let now = ContinuousClock.now

  private static func isUploaded(_ result: Result<Int16, EffectOmission>) -> Bool { (try? result.get()) != nil }

  @Test("uploads each effect once")
  func once() throws {
    let device = try RecordingDevice()
    var slots = EffectSlots()
    for _ in 0..<5 {
      for level in 0..<3 as Range<UInt16> {
        let id = try slots.id(of: Self.effect(level), neededUntil: now, now: now, on: device)
        #expect(id == .success(Int16(level)))
      }
    }
    #expect(device.uploads == 3 && slots.count == 3)
  }

  @Test("erases the least recently used effect if there is no free slot")
  func oldest() throws {
    let device = try RecordingDevice(slots: 3)
    var slots = EffectSlots()
    for level in [1, 2, 1, 3] as [UInt16] {
      _ = try slots.id(of: Self.effect(level), neededUntil: now, now: now, on: device)
    }
    #expect(
      device.events == [
        .upload(0, Self.effect(1)), .upload(1, Self.effect(2)), .erase(1), .upload(1, Self.effect(3)),
      ])
  }

  @Test("omits a new effect rather than erase one that is being played or about to be")
  func needed() throws {
    let device = try RecordingDevice(slots: 2)
    var slots = EffectSlots()
    let later = now + .seconds(1)
    for level in [1, 2] as [UInt16] {
      _ = try slots.id(of: Self.effect(level), neededUntil: later, now: now, on: device)
    }
    #expect(try slots.id(of: Self.effect(3), neededUntil: later, now: now, on: device) == .failure(.tooFewSlots(2)))
    #expect(try slots.id(of: Self.effect(3), neededUntil: later, now: later, on: device) == .success(0))
  }

  @Test("does not erase effects of other programs")
  func others() throws {
    let device = try RecordingDevice(slots: 4)
    device.state.withLock { $0.foreign = 2 }
    var slots = EffectSlots()
    for level in 1...5 as ClosedRange<UInt16> {
      #expect(try Self.isUploaded(slots.id(of: Self.effect(level), neededUntil: now, now: now, on: device)))
    }
    #expect(slots.count == 2 && device.uploads == 5)
    device.state.withLock { $0.foreign = 4 }
    try slots.releaseExcess(now: now, on: device)
    var fresh = EffectSlots()
    #expect(try fresh.id(of: Self.effect(9), neededUntil: now, now: now, on: device) == .failure(.slotsTaken))
  }

  @Test("omits effects on a device that has no slots or refuses them")
  func silent() throws {
    var slots = EffectSlots()
    let none = try RecordingDevice(slots: 0)
    #expect(try slots.id(of: Self.effect(1), neededUntil: now, now: now, on: none) == .failure(.tooFewSlots(0)))
    let refusing = try RecordingDevice()
    refusing.state.withLock { $0.refusal = EINVAL }
    let refused = try slots.id(of: Self.effect(1), neededUntil: now, now: now, on: refusing)
    #expect(refused == .failure(.refused(code: EINVAL)))
  }

  @Test(
    "leaves a quarter of the slots to other programs, except during a playback",
    arguments: [(16, 12), (4, 3), (2, 1), (1, 1), (0, 1)])
  func rest(_ slots: Int, _ left: Int) throws {
    #expect(EffectSlots.limit(slots) == left)
    guard slots > 0 else { return }
    let device = try RecordingDevice(slots: slots)
    var effectSlots = EffectSlots()
    let later = now + .seconds(1)
    for level in 0..<UInt16(slots) {
      _ = try effectSlots.id(of: Self.effect(level), neededUntil: later, now: now, on: device)
    }
    #expect(effectSlots.count == slots)
    try effectSlots.releaseExcess(now: later, on: device)
    #expect(effectSlots.count == left)
    for level in 100..<120 as Range<UInt16> {
      #expect(try Self.isUploaded(effectSlots.id(of: Self.effect(level), neededUntil: later, now: later, on: device)))
    }
    #expect(effectSlots.count == left)
  }

  @Test("stops only the effects that the playback started")
  func stop() throws {
    let device = try RecordingDevice()
    var slots = EffectSlots()
    let later = now + .seconds(1)
    for (level, playback) in [(1, 7), (2, 7), (3, 8)] as [(UInt16, Int)] {
      let ends = level == 2 ? now : later
      _ = try slots.id(of: Self.effect(level), neededUntil: ends, now: now, on: device)
      slots.started(Self.effect(level), by: playback, until: ends)
    }
    try slots.stop(7, now: now, on: device)
    #expect(device.events.filter { if case .stop = $0 { true } else { false } } == [.stop(0)])
  }
}
