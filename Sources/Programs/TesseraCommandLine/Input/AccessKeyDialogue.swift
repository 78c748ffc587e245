import Glibc
package import Tessera

/// Prompts on the terminal for the access key: the machine readable zone, the three fields that the key is derived from, or
/// the card access number. Validates each line during typing.
package struct AccessKeyDialogue {
  /// Whether a prompt is possible: standard input is a terminal, and the program runs in the foreground.
  package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && ControllingTerminal()?.isForeground == true }

  /// - Returns: nil if the user chooses to continue without a key.
  /// - Throws: `Failure` of the kind `usage` at the end of the input; `CancellationError`.
  package static func run() throws -> AccessKey? {
    guard let terminal = ControllingTerminal() else { return nil }
    return try terminal.editing { try AccessKeyDialogue(editor: $0).key() }
  }

  let editor: LineEditor

  private func key() throws -> AccessKey? {
    editor.show(
      "No key was specified. Type the machine readable zone as printed, or only the document number, or the six digits of\n"
        + "a card access number.")
    let first = try editor.line(
      "First line, or document number (empty: continue without a key)", field: "First line", expected: Self.asPrinted
    ) { text in
      Self.isZoneLine(text) ? MRZRemark.line(text, after: []) : MRZRemark.documentNumber(text)
    }
    if first.isEmpty { return nil }
    // A line that parses is the bare MRZ information: its three check digits are correct.
    if let information = try? MRZInformation(typed: first), first.count > 22 { return .mrz(information) }
    return Self.isZoneLine(first) ? .mrz(try zone(first)) : try fields(first)
  }

  private static let asPrinted = "Compare it with the document, and type the fillers < too."
  private static let dateForms = "YYMMDD, YYYY-MM-DD, DD.MM.YYYY or DD/MM/YYYY"

  /// Whether the text contains fillers before its end, or is longer than a document number.
  private static func isZoneLine(_ text: String) -> Bool {
    let content = text.dropLast(text.reversed().prefix { $0 == "<" }.count)
    return text.count > 22 || content.contains("<")
  }

  private func zone(_ first: String) throws -> MRZInformation {
    let second = try editor.line("Second line", field: "Second line", expected: Self.asPrinted) {
      MRZRemark.line($0, after: [first])
    }
    guard MachineReadableZone.mayBeginCard(first) else { return try Self.information([first, second]) }
    // The third line contains only the name, but users paste all lines of a zone at once.
    _ = try editor.line("Third line (may be empty)", field: "Third line", expected: Self.asPrinted) { _ in .none }
    return try Self.information([first, second])
  }

  /// - Parameter lines: the first two lines of a zone.
  fileprivate static func information(_ lines: [String]) throws(MRZError) -> MRZInformation {
    let third = MachineReadableZone.mayBeginCard(lines.first ?? "") ? [String(repeating: "<", count: 30)] : []
    return try MRZInformation(typed: (lines + third).joined(separator: "\n"))
  }

  /// - Parameter number: a document number or, with six digits and no dates behind it, a card access number. Few documents
  ///   have such short numbers, and the chip, which could tell by its protocol, is asked only afterwards.
  private func fields(_ number: String) throws -> AccessKey {
    let mayBeCardAccess = number.count == 6 && number.allSatisfy { ("0"..."9").contains($0) }
    let birth = try date(
      "Date of birth", orElse: mayBeCardAccess ? "\(number) is the card access number" : nil)
    if birth.isEmpty { return try AccessKey(cardAccessNumber: number) }
    let expiry = try date("Date of expiry")
    return .mrz(try MRZInformation(documentNumber: number, dateOfBirth: birth, dateOfExpiry: expiry))
  }

  /// - Parameter alternative: what an empty line says; nil if there must be a date.
  private func date(_ field: String, orElse alternative: String? = nil) throws -> String {
    // Both in one row would be wider than 80 columns.
    let forms = Self.dateForms + (alternative.map { ";\nempty: \($0)" } ?? "")
    return try editor.line(
      "\(field) (\(forms))", field: field, expected: "Type it as \(Self.dateForms).", signs: "<-./"
    ) { text in
      text.isEmpty && alternative != nil ? .none : MRZRemark.date(text)
    }
  }
}

/// The remark next to a line during typing.
enum MRZRemark {
  static func line(_ text: String, after earlier: [String]) -> LineEditor.Remark {
    let digits = MachineReadableZone.checkDigits(typed: earlier + [text]).filter { $0.line == earlier.count + 1 }
    if let wrong = digits.first(where: { !$0.isCorrect }) { return Self.wrong(wrong.field) }
    let result = digits.last.map { "\($0.field.rawValue) ok" }
    let lengths = lengths(after: earlier.first).filter { $0 >= text.count }
    guard let longest = lengths.last else { return .wrong("too long") }
    guard let first = earlier.first else { return result.map { .fine($0) } ?? .none }
    guard lengths.contains(text.count) else {
      let wanted = lengths.count == 2 ? "\(lengths[0]) or \(longest)" : "\(longest)"
      return .unfinished(["\(text.count) of \(wanted)", result].compactMap { $0 }.joined(separator: ", "))
    }
    return remark { try AccessKeyDialogue.information([first, text]) }
  }

  /// The possible lengths of the line. The first line may lack its trailing fillers.
  private static func lengths(after first: String?) -> [Int] {
    guard let first else { return [30, 36, 44] }
    return MachineReadableZone.mayBeginCard(first) ? [30] : first.count > 36 ? [44] : [36, 44]
  }

  private static func wrong(_ field: CheckDigit.Field) -> LineEditor.Remark {
    .wrong("wrong check digit: \(field.rawValue)")
  }

  static func documentNumber(_ text: String) -> LineEditor.Remark {
    if text.isEmpty { return .none }
    let result = remark { try MRZInformation(documentNumber: text, dateOfBirth: "000101", dateOfExpiry: "000101") }
    // Few documents have shorter numbers; after the first letters, "ok" would say too much.
    return result == .fine("ok") && text.count < 6 ? .none : result
  }

  /// A date that the calendar has, or of which a part is unknown, in a form of `MRZInformation`.
  static func date(_ text: String) -> LineEditor.Remark {
    let parts = text.split(omittingEmptySubsequences: false) { "-./".contains($0) }
    let length = parts.last?.count ?? 0
    let isComplete =
      switch parts.count {
      case ...1: text.count >= 6
      case 2: false
      // The day, or a year of two or four digits.
      default: text.contains("-") ? length > 0 : length == 2 || length > 3
      }
    guard isComplete else { return .unfinished("") }
    // Valid, and probably continued: 1990-02-1, 14.02.19. It is accepted as it stands, but without an "ok".
    let mayGoOn = parts.count > 2 && (text.contains("-") ? length < 2 : ["19", "20"].contains(parts.last ?? ""))
    if mayGoOn, MRZInformation.isInCalendar(text) { return .none }
    return MRZInformation.isInCalendar(text) ? .fine("ok") : .wrong("no such date")
  }

  private static func remark(_ body: () throws -> MRZInformation) -> LineEditor.Remark {
    do {
      _ = try body()
      return .fine("ok")
    } catch MRZError.wrongCheckDigit(let field, _) {
      return wrong(field)
    } catch MRZError.malformedField(let field, _) {
      return .wrong("malformed: \(field)")
    } catch {
      return .wrong(Failure(error).cause)
    }
  }
}
