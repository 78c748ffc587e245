import CTesseraEvdev
import Testing

@testable import TesseraHaptics

@Suite("Effects of the kernel")
struct ForceEffectTests {
  private static func effects(_ pulse: HapticPulse, _ features: ForceFeatures) -> [TimedEffect] {
    pulse.effects(on: features)
  }

  @Test("translates a pulse into rumble if the device announces rumble")
  func rumble() {
    let pulse = HapticPulse(start: 5, length: 60, strong: 1, weak: 0.5)
    let expected = TimedEffect(
      start: 5, effect: ForceEffect(force: .rumble(strong: 0xFFFF, weak: 0x8000), length: 60))
    #expect(pulse.effects(on: .rumbleOnly) == [expected])
    #expect(pulse.effects(on: .rumbleAndWaves) == [expected])
    // Two thirds of the strong motor, one of the weak.
    #expect(
      pulse.effects(on: .wavesOnly) == [
        TimedEffect(start: 5, effect: ForceEffect(force: .sine(magnitude: 27_306, attack: 0), length: 60))
      ])
  }

  @Test("translates an attack into an envelope if both levels are equal, otherwise into steps")
  func attack() {
    let alike = HapticPulse(start: 0, length: 100, strong: 0.5, weak: 0.5, attack: 60)
    #expect(
      alike.effects(on: .rumbleAndWaves).map(\.effect) == [
        ForceEffect(force: .sine(magnitude: 0x4000, attack: 60), length: 100)
      ])
    let apart = HapticPulse(start: 7, length: 100, strong: 0.9, weak: 0, attack: 95)
    for features in [ForceFeatures.rumbleOnly, .rumbleAndWaves] {
      let stairs = apart.effects(on: features)
      #expect(stairs.map(\.start) == [7, 38, 69, 100])
      // Without a gap, to the end.
      for (one, next) in zip(stairs, stairs.dropFirst()) { #expect(one.end == next.start) }
      #expect(stairs.last?.end == 107)
      let levels = stairs.map { effect -> UInt16 in
        if case .rumble(let strong, 0) = effect.effect.force { strong } else { 0 }
      }
      #expect(levels == [14_745, 29_491, 44_236, 58_982])
    }
    // No motor follows an attack this short.
    let short = HapticPulse(start: 0, length: 100, strong: 0.5, weak: 0.1, attack: 29)
    #expect(short.effects(on: .rumbleAndWaves).count == 1)
    // A pulse whose attack lasts for its whole length has no plateau.
    let whole = HapticPulse(start: 0, length: 60, strong: 0.5, weak: 0.1, attack: 60)
    #expect(whole.effects(on: .rumbleOnly).map(\.end) == [30, 60])
  }

  @Test("does not upload pauses")
  func rest() throws {
    let pattern = try HapticPattern([
      HapticPulse(start: 0, length: 10, strong: 0, weak: 0), HapticPulse(start: 50, length: 10, strong: 0, weak: 0.1),
    ])
    #expect(pattern.effects(on: .rumbleOnly).map(\.start) == [50])
  }

  @Test("fills the kernel's structure")
  func record() {
    let rumble = ForceEffect(force: .rumble(strong: 1, weak: 2), length: 3).record
    #expect(rumble.type == 0x50 && rumble.id == -1 && rumble.replay.length == 3 && rumble.replay.delay == 0)
    #expect(rumble.u.rumble.strong_magnitude == 1 && rumble.u.rumble.weak_magnitude == 2)
    let sine = ForceEffect(force: .sine(magnitude: 0x7FFF, attack: 9), length: 3).record
    #expect(sine.type == 0x51 && sine.u.periodic.waveform == 0x5A && sine.u.periodic.period == 50)
    #expect(sine.u.periodic.magnitude == 0x7FFF && sine.u.periodic.envelope.attack_length == 9)
    #expect(sine.u.periodic.envelope.attack_level == 0)
  }

  @Test("does not trap on invalid levels")
  func magnitude() {
    #expect(ForceEffect.magnitude(.nan) == 0 && ForceEffect.magnitude(-1) == 0)
    #expect(ForceEffect.magnitude(.infinity) == 0xFFFF && ForceEffect.magnitude(2, full: 0x7FFF) == 0x7FFF)
  }
}
