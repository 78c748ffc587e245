import TesseraCore
import Testing

@testable import TesseraHaptics

@Suite("Haptic patterns: predefined effects and files")
struct HapticPatternTests {
  @Test("defines all effects")
  func vocabulary() {
    #expect(
      HapticWord.allCases.map(\.description) == [
        "impact light", "impact medium", "impact heavy", "impact rigid", "impact soft", "notification success",
        "notification warning", "notification error", "selection",
      ])
  }

  @Test("every predefined effect follows the rules of the table", arguments: HapticWord.allCases)
  func row(_ word: HapticWord) throws {
    let pattern = word.pattern
    // Valid, and in order.
    #expect(try HapticPattern(pattern.pulses).pulses == pattern.pulses)
    #expect(pattern.length <= 400)
    #expect(pattern.pulses.first?.start == 0)
    #expect(pattern.pulses.allSatisfy { $0.length >= 20 && max($0.strong, $0.weak) >= 0.3 })
    // A gap shorter than a motor's run-out is no gap.
    for (one, next) in zip(pattern.pulses, pattern.pulses.dropFirst()) { #expect(next.start - one.end >= 40) }
  }

  @Test("the predefined effects can be distinguished from each other")
  func different() {
    let words = HapticWord.allCases.map { ($0, $0.pattern) }
    for (index, (word, pattern)) in words.enumerated() {
      for (otherWord, other) in words.dropFirst(index + 1) {
        // By the number of pulses, the motors, the level or the attack, and not by length alone.
        let isDifferent =
          pattern.pulses.count != other.pulses.count
          || zip(pattern.pulses, other.pulses).contains { one, two in
            abs(one.strong - two.strong) >= 0.1 || abs(one.weak - two.weak) >= 0.1
              || (one.attack > 0) != (two.attack > 0)
          }
        #expect(isDifferent, "\(word) and \(otherWord)")
      }
    }
  }

  @Test("on a motor that is on or off, number and length of the pulses tell the predefined effects apart")
  func onOff() throws {
    for (index, word) in HapticWord.allCases.enumerated() {
      let pulses = word.pattern.onOff
      #expect(try HapticPattern(pulses).length <= 400, "\(word)")
      #expect(pulses.first?.start == 0 && pulses.allSatisfy { $0.length >= 20 && $0.strong == 1 && $0.weak == 1 })
      // A gap that outlasts the run-out.
      for (one, next) in zip(pulses, pulses.dropFirst()) { #expect(next.start - one.end >= 50, "\(word)") }
      for other in HapticWord.allCases.dropFirst(index + 1) {
        let lengths = pulses.map(\.length)
        let others = other.pattern.onOff.map(\.length)
        let isDifferent = lengths.count != others.count || zip(lengths, others).contains { abs($0 - $1) >= 20 }
        #expect(isDifferent, "\(word) and \(other)")
      }
    }
    let (success, error) = (HapticWord.notification(.success).pattern, HapticWord.notification(.error).pattern)
    #expect(success.onOff.count == 2 && error.onOff.count == 3)
  }

  @Test("all predefined effects fit into a device with sixteen slots")
  func fits() {
    for rules in [EffectRules.rumbleOnly, .rumbleAndWaves, .wavesOnly, .joyCon, .wiiRemote, .dualShock3] {
      let effects = Set(HapticWord.allCases.flatMap { $0.pattern.effects(on: rules).map(\.effect) })
      #expect(effects.count <= EffectSlots.limit(16), "\(effects.count)")
      #expect(effects.count >= HapticWord.allCases.count)
    }
  }

  // MARK: - Files

  private static func pattern(_ json: String) throws(HapticPatternError) -> HapticPattern {
    try HapticPattern(json: Array(json.utf8))
  }

  @Test("reads a file and sorts its pulses by start")
  func file() throws {
    let pattern = try Self.pattern(
      """
      [{"atMs": 100, "durationMs": 32767, "strong": 1, "weak": 0},
       {"atMs": 0, "durationMs": 1, "strong": 0.25, "weak": 1e-1, "attackMs": 1}]
      """)
    #expect(
      pattern.pulses == [
        HapticPulse(start: 0, length: 1, strong: 0.25, weak: 0.1, attack: 1),
        HapticPulse(start: 100, length: 32_767, strong: 1, weak: 0),
      ])
    #expect(pattern.length == 32_867)
  }

  @Test(
    "reports errors with the entry and the field",
    arguments: [
      ("", HapticPatternError.notJSON), ("[{]", .notJSON), ("{}", .notAList), ("7", .notAList), ("[]", .empty),
      ("[7]", .notAPulse(entry: 0)), ("[null]", .notAPulse(entry: 0)),
      (#"[{"atMs":0,"durationMs":1,"strong":1}]"#, .missing(entry: 0, .weak)),
      (
        #"[{"atMs":0,"durationMs":1,"strong":1,"weak":0},{"atMs":0,"durationMs":"1","strong":1,"weak":0}]"#,
        .notANumber(entry: 1, .length)
      ),
      (#"[{"atMs":0,"durationMs":1,"strong":true,"weak":0}]"#, .notANumber(entry: 0, .strong)),
      (#"[{"atMs":0.5,"durationMs":1,"strong":1,"weak":0}]"#, .notANumber(entry: 0, .start)),
      (#"[{"atMs":1e30,"durationMs":1,"strong":1,"weak":0}]"#, .notANumber(entry: 0, .start)),
      (
        #"[{"atMs":9223372036854775807,"durationMs":1,"strong":1,"weak":0}]"#, .outOfRange(entry: 0, .start, 0...60_000)
      ),
      (#"[{"atMs":-1,"durationMs":1,"strong":1,"weak":0}]"#, .outOfRange(entry: 0, .start, 0...60_000)),
      (#"[{"atMs":0,"durationMs":0,"strong":1,"weak":0}]"#, .outOfRange(entry: 0, .length, 1...32_767)),
      (
        #"[{"atMs":0,"durationMs":9223372036854775807,"strong":1,"weak":0}]"#,
        .outOfRange(entry: 0, .length, 1...32_767)
      ),
      (#"[{"atMs":0,"durationMs":1,"strong":1.01,"weak":0}]"#, .outOfRange(entry: 0, .strong, 0...1)),
      (#"[{"atMs":0,"durationMs":1,"strong":1,"weak":-0.1}]"#, .outOfRange(entry: 0, .weak, 0...1)),
      (#"[{"atMs":0,"durationMs":5,"strong":1,"weak":1,"attackMs":6}]"#, .outOfRange(entry: 0, .attack, 0...5)),
      (#"[{"atMs":59990,"durationMs":11,"strong":1,"weak":1}]"#, .endsTooLate(entry: 0)),
      (#"[{"atMs":0,"durationMs":5,"strong":1,"weak":1,"stong":1}]"#, .unknownField(entry: 0, name: "stong")),
    ])
  func mistakes(_ json: String, _ error: HapticPatternError) {
    #expect(throws: error) { try Self.pattern(json) }
    #expect(error.failure.kind == .usage && error.failure.remedy != nil)
  }

  @Test("an error of a pattern that a program made names no JSON in its remedy, and the property in its cause")
  func mistakesOfPrograms() {
    let pulse = HapticPulse(start: -1, length: 0, strong: 2, weak: 0)
    let early = #expect(throws: HapticPatternError.self) { try HapticPattern([pulse]) }
    #expect(early?.failure.cause.hasPrefix("The start (\"atMs\") of entry 0 ") == true)
    #expect(early?.failure.remedy == "Choose a value from 0 to 60000 milliseconds.")
    let strong = HapticPatternError.outOfRange(entry: 0, .strong, 0...1)
    #expect(strong.failure.remedy == "Choose a value from 0 to 1.")
    #expect(strong.failure.details == ["entry": "0", "field": "strong"])
    for error in [HapticPatternError.empty, .tooManyPulses, .endsTooLate(entry: 0)] {
      #expect(error.failure.remedy?.contains("{") == false, "\(error)")
    }
    #expect(HapticPatternError.notAList.failure.remedy?.contains("atMs") == true)
  }

  @Test("limits a pattern to a thousand pulses")
  func limits() throws {
    let pulse = #"{"atMs":0,"durationMs":5,"strong":1,"weak":1}"#
    func list(_ count: Int) -> String { "[" + Array(repeating: pulse, count: count).joined(separator: ",") + "]" }
    #expect(try Self.pattern(list(1000)).pulses.count == 1000)
    #expect(throws: HapticPatternError.tooManyPulses) { try Self.pattern(list(1001)) }
    #expect(throws: HapticPatternError.tooManyPulses) { try Self.pattern(list(30_000)) }
    // Deep nesting does not crash the parser.
    #expect(throws: HapticPatternError.self) { try Self.pattern(String(repeating: "[", count: 100_000)) }
  }

  @Test("shows unknown field names without control characters")
  func printable() {
    let error = HapticPatternError.unknownField(entry: 0, name: "\u{1B}[2J" + String(repeating: "x", count: 1000))
    #expect(!error.failure.cause.contains("\u{1B}") && error.failure.cause.count < 200)
  }
}

extension ForceFeatures {
  static let rumbleOnly = ForceFeatures { $0 == 0x50 }
  /// The features of a gamepad whose driver uses the kernel's mixing.
  static let rumbleAndWaves = ForceFeatures { [0x50, 0x51, 0x58, 0x59, 0x5A, 0x60].contains($0) }
  static let wavesOnly = ForceFeatures { [0x51, 0x5A].contains($0) }
  /// The features of a wheel with hid-pidff: the kernel adds rumble.
  static let wheel = ForceFeatures { [0x50, 0x51, 0x52, 0x58, 0x59, 0x5A, 0x5B, 0x5C, 0x60].contains($0) }
  /// Waves and rumble, and neither the features of the kernel's mixing nor those of a wheel.
  static let wavesAndRumble = ForceFeatures { [0x50, 0x51, 0x5A].contains($0) }
}

extension EffectRules {
  static let rumbleOnly = EffectRules(.rumbleOnly)
  static let rumbleAndWaves = EffectRules(.rumbleAndWaves)
  static let wavesOnly = EffectRules(.wavesOnly)
  static let wavesAndRumble = EffectRules(.wavesAndRumble)
  static let wheel = EffectRules(.wheel)
  static let joyCon = EffectRules(.rumbleAndWaves, vendor: "057e", product: "2006")
  static let switchPro = EffectRules(.rumbleAndWaves, vendor: "057e", product: "2009")
  static let wiiRemote = EffectRules(.rumbleAndWaves, vendor: "057e", product: "0306")
  static let dualShock3 = EffectRules(.rumbleAndWaves, vendor: "054c", product: "0268")
}
