import Foundation
import Testing

@testable import Haptics

@Suite("A device's slots")
struct EffectSlotsTests {
  private static func effect(_ level: UInt16) -> ForceEffect {
    ForceEffect(force: .rumble(strong: level, weak: 0), length: 10)
  }

  private let now = ContinuousClock.now

  private static func isHeld(_ result: Result<Int16, EffectOmission>) -> Bool { (try? result.get()) != nil }

  @Test("each content is uploaded once")
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

  @Test("where there is no room, the one used longest ago gives way")
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

  @Test("what is felt or about to be does not give way: the new one is left out")
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

  @Test("slots that others hold are respected; ours make room for ours")
  func others() throws {
    let device = try RecordingDevice(slots: 4)
    device.state.withLock { $0.foreign = 2 }
    var slots = EffectSlots()
    for level in 1...5 as ClosedRange<UInt16> {
      #expect(try Self.isHeld(slots.id(of: Self.effect(level), neededUntil: now, now: now, on: device)))
    }
    #expect(slots.count == 2 && device.uploads == 5)
    device.state.withLock { $0.foreign = 4 }
    try slots.rest(now: now, on: device)
    var fresh = EffectSlots()
    #expect(try fresh.id(of: Self.effect(9), neededUntil: now, now: now, on: device) == .failure(.slotsTaken))
  }

  @Test("a device without slots, or one that refuses, is silent")
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
    "a quarter is left to others but for what is felt at this moment",
    arguments: [(16, 12), (4, 3), (2, 1), (1, 1), (0, 1)])
  func rest(_ slots: Int, _ left: Int) throws {
    #expect(EffectSlots.share(slots) == left)
    guard slots > 0 else { return }
    let device = try RecordingDevice(slots: slots)
    var held = EffectSlots()
    let later = now + .seconds(1)
    for level in 0..<UInt16(slots) {
      _ = try held.id(of: Self.effect(level), neededUntil: later, now: now, on: device)
    }
    #expect(held.count == slots)
    try held.rest(now: later, on: device)
    #expect(held.count == left)
    for level in 100..<120 as Range<UInt16> {
      #expect(try Self.isHeld(held.id(of: Self.effect(level), neededUntil: later, now: later, on: device)))
    }
    #expect(held.count == left)
  }

  @Test("only what a playback started is stopped with it")
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
