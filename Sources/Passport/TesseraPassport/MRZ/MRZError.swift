import TesseraCore

/// The reason why a text is not a valid machine readable zone. Never quotes the text.
public enum MRZError: Error, Sendable, Equatable {
  /// No format has these line lengths.
  case wrongLength(lines: [Int])
  case invalidCharacter(line: Int, column: Int)
  case malformedField(String, line: Int?)
  case wrongCheckDigit(CheckDigit.Field, line: Int)
}

extension MRZError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .wrongLength(let lines):
      Failure(
        .malformedMRZ,
        "The MRZ has \(lines.map(String.init).joined(separator: " + ")) characters, which no document format has.",
        remedy: "Enter it as printed: 2 lines of 44 or 36 characters, or 3 lines of 30; the filler is \"<\".")
    case .invalidCharacter(let line, let column):
      Failure(
        .malformedMRZ, "Line \(line) of the MRZ has a character other than A-Z, 0-9 and < at column \(column).",
        remedy: "Compare it with the document.", details: ["line": "\(line)", "column": "\(column)"])
    case .malformedField(let field, let line):
      Failure(
        .malformedMRZ,
        line.map { "The \(field) in line \($0) of the MRZ is malformed." } ?? "The \(field) is malformed.",
        remedy: line == nil ? remedy(forField: field) : "Compare it with the document.",
        details: ["field": field])
    case .wrongCheckDigit(let field, let line):
      Failure(
        .malformedMRZ,
        "The check digit of the \(field.rawValue) in line \(line) of the MRZ is wrong"
          + (field == .composite ? " (the last digit, which covers the whole zone)." : "."),
        remedy:
          "Compare that line with the document; O and 0 are easily confused. If the document itself is misprinted, "
          + "provide document number, date of birth and date of expiry instead of the MRZ.",
        details: ["field": field.rawValue, "line": "\(line)"])
    }
  }

  /// - Parameter field: what was given by itself.
  private func remedy(forField field: String) -> String {
    if field.hasPrefix("date") { return "Write the date as YYMMDD, YYYY-MM-DD, DD.MM.YYYY or DD/MM/YYYY." }
    if field == "card access number" { return "Write its 4 to 16 digits, usually six, as printed on the document." }
    return "Compare it with the document."
  }
}
