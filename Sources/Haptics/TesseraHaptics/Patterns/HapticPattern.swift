import TesseraCore

/// An interval with constant levels of the two motors.
public struct HapticPulse: Sendable, Hashable {
  /// From the start of the pattern, in milliseconds.
  public let start: Int
  /// In milliseconds, the attack included.
  public let length: Int
  /// The level of the strong motor, 0 to 1.
  public let strong: Double
  /// The level of the weak motor, 0 to 1.
  public let weak: Double
  /// The duration of the increase from zero to the levels, in milliseconds.
  public let attack: Int

  public init(start: Int, length: Int, strong: Double, weak: Double, attack: Int = 0) {
    self.start = start
    self.length = length
    self.strong = strong
    self.weak = weak
    self.attack = attack
  }

  /// Only for a pulse within the limits of a pattern; otherwise the sum may overflow.
  var end: Int { start + length }
}

/// A sequence of pulses within the limits below.
public struct HapticPattern: Sendable, Hashable {
  /// The maximum number of pulses.
  public static let mostPulses = 1000
  /// The maximum length of a pattern, in milliseconds.
  public static let longest = 60_000
  /// The maximum length of a pulse, in milliseconds: the kernel does not define longer effects (linux/input.h,
  /// `ff_replay`).
  public static let longestPulse = 0x7FFF

  /// Sorted by start.
  public let pulses: [HapticPulse]
  /// The pulses for a motor that is on or off, if they differ by more than the levels; otherwise empty.
  let onOff: [HapticPulse]

  /// From the start to the end of the last pulse, in milliseconds.
  public var length: Int { pulses.map(\.end).max() ?? 0 }

  /// - Throws: `HapticPatternError` if a limit is exceeded.
  public init(_ pulses: [HapticPulse]) throws(HapticPatternError) {
    guard !pulses.isEmpty else { throw .empty }
    guard pulses.count <= Self.mostPulses else { throw .tooManyPulses }
    for (index, pulse) in pulses.enumerated() {
      try Self.check(pulse.start, in: 0...Self.longest, .start, index)
      try Self.check(pulse.length, in: 1...Self.longestPulse, .length, index)
      try Self.check(pulse.attack, in: 0...pulse.length, .attack, index)
      for (level, field) in [(pulse.strong, HapticPatternField.strong), (pulse.weak, .weak)] {
        // Comparisons with NaN are false.
        guard level >= 0, level <= 1 else { throw .outOfRange(entry: index, field, 0...1) }
      }
      guard pulse.end <= Self.longest else { throw .endsTooLate(entry: index) }
    }
    self.pulses = pulses.sorted { $0.start < $1.start }
    onOff = []
  }

  /// A pattern of `HapticWord`; tests verify the limits.
  ///
  /// - Parameter onOff: Start and length of each pulse for a motor that is on or off.
  init(rows: [HapticPulse]..., onOff: [(start: Int, length: Int)]) {
    pulses = rows.flatMap(\.self)
    self.onOff = onOff.map { HapticPulse(start: $0.start, length: $0.length, strong: 1, weak: 1) }
  }

  private static func check(
    _ value: Int, in range: ClosedRange<Int>, _ field: HapticPatternField, _ index: Int
  ) throws(HapticPatternError) {
    guard range.contains(value) else { throw .outOfRange(entry: index, field, range) }
  }
}

/// A field of a pulse in a JSON file.
public enum HapticPatternField: String, Sendable, CaseIterable {
  case start = "atMs"
  case length = "durationMs"
  case strong
  case weak
  case attack = "attackMs"

  /// The property of `HapticPulse`, and the field of a file where it is another.
  fileprivate var name: String {
    switch self {
    case .start: "The start (\"atMs\")"
    case .length: "The length (\"durationMs\")"
    case .strong: "\"strong\""
    case .weak: "\"weak\""
    case .attack: "The attack (\"attackMs\")"
    }
  }

  fileprivate var unit: String { self == .strong || self == .weak ? "" : " milliseconds" }
}

/// An error in a pattern. Entries are counted from 0.
public enum HapticPatternError: Error, Sendable, Equatable {
  case notJSON
  case notAList
  case notAPulse(entry: Int)
  case missing(entry: Int, HapticPatternField)
  case notANumber(entry: Int, HapticPatternField)
  case unknownField(entry: Int, name: String)
  case outOfRange(entry: Int, HapticPatternField, ClosedRange<Int>)
  case endsTooLate(entry: Int)
  case empty
  case tooManyPulses
}

extension HapticPatternError: FailureConvertible {
  public var failure: Failure {
    Failure(.usage, cause, remedy: remedy, details: details)
  }

  private var cause: String {
    switch self {
    case .notJSON: "The pattern is not JSON."
    case .notAList: "The pattern is not a list of pulses."
    case .notAPulse(let entry): "Entry \(entry) of the pattern is not an object."
    case .missing(let entry, let field): "Entry \(entry) of the pattern has no \"\(field.rawValue)\"."
    case .notANumber(let entry, let field):
      "\"\(field.rawValue)\" of entry \(entry) of the pattern is not a number of the expected type."
    case .unknownField(let entry, let name):
      "Entry \(entry) of the pattern has an unknown field: \"\(PrintableText.of(String(name.prefix(40))))\"."
    case .outOfRange(let entry, let field, let range):
      "\(field.name) of entry \(entry) of the pattern is not within \(range.lowerBound) to \(range.upperBound)."
    case .endsTooLate(let entry):
      "Entry \(entry) of the pattern ends after \(HapticPattern.longest) milliseconds."
    case .empty: "The pattern has no pulses."
    case .tooManyPulses: "The pattern has more than \(HapticPattern.mostPulses) pulses."
    }
  }

  /// What both a program and a file can get wrong is explained without JSON.
  private var remedy: String {
    switch self {
    case .notJSON, .notAList, .notAPulse, .missing, .notANumber, .unknownField:
      #"Use a list of pulses, for example [{"atMs": 0, "durationMs": 80, "strong": 1, "weak": 0.5}]."#
    case .outOfRange(_, let field, let range):
      "Choose a value from \(range.lowerBound) to \(range.upperBound)\(field.unit)."
    case .endsTooLate: "Start it earlier, or shorten it."
    case .empty: "Give it at least one pulse."
    case .tooManyPulses: "Use fewer pulses."
    }
  }

  private var details: [String: String] {
    switch self {
    case .notJSON, .notAList, .empty, .tooManyPulses: [:]
    case .notAPulse(let entry), .unknownField(let entry, _), .endsTooLate(let entry): ["entry": String(entry)]
    case .missing(let entry, let field), .notANumber(let entry, let field), .outOfRange(let entry, let field, _):
      ["entry": String(entry), "field": field.rawValue]
    }
  }
}
