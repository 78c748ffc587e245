import Failures

/// One stretch of rumble.
public struct HapticPulse: Sendable, Hashable {
  /// From the start of the pattern, in milliseconds.
  public let start: Int
  /// In milliseconds, the attack included.
  public let length: Int
  /// How hard the strong motor turns, 0 to 1.
  public let strong: Double
  /// How hard the weak motor turns, 0 to 1.
  public let weak: Double
  /// How long it takes to come up, in milliseconds.
  public let attack: Int

  public init(start: Int, length: Int, strong: Double, weak: Double, attack: Int = 0) {
    self.start = start
    self.length = length
    self.strong = strong
    self.weak = weak
    self.attack = attack
  }

  /// Only of a pulse within the bounds of a pattern.
  var end: Int { start + length }
}

/// Pulses over time. Within the bounds below, so that nothing that plays it has to check again.
public struct HapticPattern: Sendable, Hashable {
  /// How many pulses a pattern has at most.
  public static let mostPulses = 1000
  /// When a pattern ends at the latest, in milliseconds.
  public static let longest = 60_000
  /// The longest that a device is told in one effect: the kernel leaves what is above it undefined
  /// (linux/input.h, `ff_replay`).
  public static let longestPulse = 0x7FFF

  /// In the order of their starts.
  public let pulses: [HapticPulse]

  /// From the start to the end of the last pulse, in milliseconds.
  public var length: Int { pulses.map(\.end).max() ?? 0 }

  /// - Throws: `HapticPatternError` for what is out of bounds.
  public init(_ pulses: [HapticPulse]) throws(HapticPatternError) {
    guard !pulses.isEmpty else { throw .empty }
    guard pulses.count <= Self.mostPulses else { throw .tooManyPulses }
    for (index, pulse) in pulses.enumerated() {
      try Self.check(pulse.start, in: 0...Self.longest, .start, index)
      try Self.check(pulse.length, in: 1...Self.longestPulse, .length, index)
      try Self.check(pulse.attack, in: 0...pulse.length, .attack, index)
      for (level, field) in [(pulse.strong, HapticPatternField.strong), (pulse.weak, .weak)] {
        // A comparison with what is no number fails.
        guard level >= 0, level <= 1 else { throw .outOfRange(entry: index, field, 0...1) }
      }
      guard pulse.end <= Self.longest else { throw .endsTooLate(entry: index) }
    }
    self.pulses = pulses.sorted { $0.start < $1.start }
  }

  /// Rows of the table, which are in order by its tests.
  init(rows: [HapticPulse]...) { pulses = rows.flatMap(\.self) }

  private static func check(
    _ value: Int, in range: ClosedRange<Int>, _ field: HapticPatternField, _ index: Int
  ) throws(HapticPatternError) {
    guard range.contains(value) else { throw .outOfRange(entry: index, field, range) }
  }
}
