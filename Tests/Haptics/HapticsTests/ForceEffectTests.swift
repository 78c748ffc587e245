import CTesseraEvdev
import Testing

@testable import TesseraHaptics

@Suite("Effects of the kernel")
struct ForceEffectTests {
  /// The levels of both motors at this millisecond, where effects that are played at the same time add up.
  private static func levels(_ effects: [TimedEffect], at time: Int) -> (strong: Double, weak: Double) {
    effects.filter { $0.start <= time && time < $0.end }.reduce(into: (0, 0)) { sum, effect in
      guard case .rumble(let strong, let weak) = effect.effect.force else { return }
      sum = (sum.0 + Double(strong) / 0xFFFF, sum.1 + Double(weak) / 0xFFFF)
    }
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

  @Test("where the kernel mixes, an attack consists of steps that add up, within a tenth of the designed level")
  func addedSteps() throws {
    for pulse in [
      HapticPulse(start: 0, length: 180, strong: 0.4, weak: 0.4, attack: 60),
      HapticPulse(start: 0, length: 90, strong: 1, weak: 1, attack: 45),
      HapticPulse(start: 7, length: 300, strong: 1, weak: 0.5, attack: 150),
      HapticPulse(start: 0, length: 400, strong: 0.9, weak: 0, attack: 400),
    ] {
      let effects = pulse.effects(on: .rumbleAndWaves)
      // No effect is silent at its beginning, and all end nearly together, the later ones first.
      #expect(effects.first?.start == pulse.start && effects.first?.end == pulse.end)
      #expect(effects.dropFirst().allSatisfy { $0.end == pulse.end - 4 })
      for effect in effects { if case .sine = effect.effect.force { Issue.record("\(effect)") } }
      for time in pulse.start..<pulse.end - 4 {
        let level = Self.levels(effects, at: time)
        let shares = (-10...10).map { min(1, max(0, Double(time - pulse.start + $0) / Double(pulse.attack))) }
        let (lowest, highest) = (try #require(shares.min()), try #require(shares.max()))
        for (full, now) in [(pulse.strong, level.strong), (pulse.weak, level.weak)] {
          #expect(now >= full * lowest - 0.1 && now <= full * highest + 0.1, "\(time) ms: \(level)")
        }
      }
    }
    // hid-nintendo takes 60 ms for a step.
    let soft = HapticWord.impact(.soft).pattern.effects(on: .switchPro)
    #expect(soft.map(\.start) == [0, 60] && soft.map(\.end) == [180, 176])
  }

  @Test("translates an attack into an envelope if the device follows it, otherwise into steps")
  func attack() {
    let alike = HapticPulse(start: 0, length: 100, strong: 0.5, weak: 0.5, attack: 60)
    for rules in [EffectRules.wavesAndRumble, .wheel, .wavesOnly] {
      #expect(
        alike.effects(on: rules).map(\.effect) == [
          ForceEffect(force: .sine(magnitude: 0x4000, attack: 60), length: 100)
        ])
    }
    let apart = HapticPulse(start: 7, length: 100, strong: 0.9, weak: 0, attack: 95)
    for rules in [EffectRules.rumbleOnly, .wavesAndRumble] {
      let stairs = apart.effects(on: rules)
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
    for rules in [EffectRules.rumbleOnly, .rumbleAndWaves, .wavesAndRumble] {
      #expect(short.effects(on: rules).count == 1)
    }
    // A pulse whose attack lasts for its whole length has no plateau.
    let whole = HapticPulse(start: 0, length: 60, strong: 0.5, weak: 0.1, attack: 60)
    #expect(whole.effects(on: .rumbleOnly).map(\.end) == [30, 60])
  }

  @Test("a wheel gets waves along its axis, since it has no motors")
  func wheel() {
    let light = HapticWord.impact(.light).pattern.effects(on: .wheel).map(\.effect)
    #expect(light == [ForceEffect(force: .sine(magnitude: 7646, attack: 0), length: 40)])
    #expect(light.first?.record.direction == 0x4000)
  }

  @Test(
    "tells devices by what they move",
    arguments: [
      (ForceFeatures.wheel, "1209", "0002", "A wheel", RumbleMotors.waves), (.wavesOnly, "", "", "", .waves),
      (.rumbleAndWaves, "054c", "0ce6", "A DualSense", .two), (.rumbleOnly, "", "", "", .two),
      (.rumbleAndWaves, "054c", "0268", "A DualShock 3", .twoWeakOnOff), (.rumbleAndWaves, "057e", "2007", "", .one),
      (.rumbleAndWaves, "057e", "2009", "A Pro Controller", .two), (.rumbleAndWaves, "057e", "0306", "", .oneOnOff),
      (.rumbleAndWaves, "0000", "0000", "gpio-vibrator", .oneOnOff), (.rumbleAndWaves, "", "", "pwm-vibrator", .one),
      // drivers/input/misc: sc27xx plays the weak level only, arizona the strong one, aw86927 any level in full.
      (.rumbleAndWaves, "0000", "0000", "sc27xx:vibrator", .oneOnOff),
      (.rumbleAndWaves, "0000", "0000", "aw86927-haptics", .oneOnOff),
      (.rumbleAndWaves, "0000", "0000", "arizona:haptics", .one), (.rumbleAndWaves, "", "", "drv260x:haptics", .one),
      (.rumbleAndWaves, "054c", "03d5", "Motion Controller", .one),
    ])
  func motors(_ features: ForceFeatures, _ vendor: String, _ product: String, _ name: String, _ motors: RumbleMotors) {
    #expect(RumbleMotors(features: features, vendor: vendor, product: product, name: name) == motors)
  }

  @Test("one motor plays the higher level, and the weak motor's part stays the lighter one")
  func oneMotor() {
    for word in HapticWord.allCases {
      for effect in word.pattern.effects(on: .joyCon) {
        guard case .rumble(let strong, let weak) = effect.effect.force else { continue }
        // A Joy-Con plays either half.
        #expect(strong == weak && strong > 0, "\(word)")
      }
    }
    #expect(
      HapticWord.impact(.light).pattern.effects(on: .joyCon).map(\.effect)
        == [ForceEffect(force: .rumble(strong: 27_525, weak: 27_525), length: 40)])
  }

  @Test("a motor that is on or off gets pulses of full level, of other lengths for the predefined effects")
  func onOff() throws {
    let error = HapticWord.notification(.error).pattern.effects(on: .wiiRemote)
    #expect(error.map(\.start) == [0, 160, 320] && error.map(\.end) == [60, 220, 380])
    let free = try HapticPattern([HapticPulse(start: 10, length: 200, strong: 0.1, weak: 0, attack: 90)])
    #expect(
      free.effects(on: .wiiRemote)
        == [TimedEffect(start: 10, effect: ForceEffect(force: .rumble(strong: 0xFFFF, weak: 0xFFFF), length: 200))])
  }

  @Test("a weak motor that is on or off is left off for a low level, unless it is the only one to play")
  func weakOnOff() throws {
    func weak(_ word: HapticWord) -> [Bool] {
      word.pattern.effects(on: .dualShock3).map { effect in
        if case .rumble(_, let weak) = effect.effect.force { weak > 0 } else { false }
      }
    }
    #expect(weak(.impact(.light)) == [true] && weak(.impact(.heavy)) == [true] && weak(.impact(.medium)) == [true])
    #expect(weak(.notification(.success)) == [true, false] && weak(.impact(.soft)) == [false, false, false])
    let faint = HapticPulse(start: 0, length: 50, strong: 0, weak: 0.1).effects(on: .dualShock3)
    #expect(faint.map(\.effect) == [ForceEffect(force: .rumble(strong: 0, weak: 6554), length: 50)])
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
    #expect(sine.u.periodic.envelope.attack_level == 0 && sine.direction == 0x4000 && rumble.direction == 0)
  }

  @Test("does not trap on invalid levels")
  func magnitude() {
    #expect(ForceEffect.magnitude(.nan) == 0 && ForceEffect.magnitude(-1) == 0)
    #expect(ForceEffect.magnitude(.infinity) == 0xFFFF && ForceEffect.magnitude(2, full: 0x7FFF) == 0x7FFF)
  }
}
