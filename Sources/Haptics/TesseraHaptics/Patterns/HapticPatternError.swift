import TesseraCore

/// A field of a pulse in a JSON file.
public enum HapticPatternField: String, Sendable, CaseIterable {
  case start = "atMs"
  case length = "durationMs"
  case strong
  case weak
  case attack = "attackMs"
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
      "\"\(field.rawValue)\" of entry \(entry) of the pattern is not within \(range.lowerBound) to \(range.upperBound)."
    case .endsTooLate(let entry):
      "Entry \(entry) of the pattern ends after \(HapticPattern.longest) milliseconds."
    case .empty: "The pattern has no pulses."
    case .tooManyPulses: "The pattern has more than \(HapticPattern.mostPulses) pulses."
    }
  }

  private var remedy: String {
    #"Use a list of pulses, for example [{"atMs": 0, "durationMs": 80, "strong": 1, "weak": 0.5}]."#
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
