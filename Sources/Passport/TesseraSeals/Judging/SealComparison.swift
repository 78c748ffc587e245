import TesseraPassport
import TesseraVerification

/// Whether a seal was compared with the document that it is on.
public enum SealComparison: String, Sendable, CaseIterable {
  /// No printed zone was given, or the seal has nothing that it could be compared with.
  case notCompared
  /// The zone in the seal equals the printed one, character by character.
  case equalsZone
  /// The seal names the passport whose zone was given.
  case namesPassport
  /// The printed zone differs from the one in the seal, or the seal names another passport.
  case differs
}

/// The comparison of a seal with the printed zone (Doc 9303-13, appendix D).
struct ComparedSeal {
  let result: SealComparison
  /// Whether the seal names the given passport; nil without one, and for a seal that names none.
  let namesPassport: Bool?
  let judged: JudgedCheck

  /// - Parameters:
  ///   - printed: the zone on the document; nil if it was not read.
  ///   - passport: the zone of the holder's passport, which a visa and a travel authorization name; nil if it was not
  ///     given.
  init(_ content: SealContent, _ printed: PrintedZone?, passport: MachineReadableZone?) {
    let document = ComparedSeal(content, printed)
    guard let passport else {
      self = document
      return
    }
    let named = content.passportNumber.map { Self.compare($0, passport, passport.firstWrongCheckDigit) }
    guard let named else {
      let sentence = "The seal names no passport that could be compared with the given one."
      self.init(
        document.result, document.judged.check.status,
        printed == nil ? sentence : "\(document.judged.check.detail) \(sentence)", document.judged.faults)
      return
    }
    guard document.result != .notCompared || document.judged.check.status == .failed else {
      self = named
      return
    }
    let checks = [document.judged.check, named.judged.check]
    let results = [document.result, named.result]
    self.init(
      results.contains(.differs) ? .differs : results.first { $0 != .notCompared } ?? .notCompared,
      checks.contains { $0.status == .failed } ? .failed : .passed,
      checks.map(\.detail).joined(separator: " "), document.judged.faults + named.judged.faults,
      namesPassport: named.namesPassport)
  }

  private init(_ content: SealContent, _ printed: PrintedZone?) {
    guard let printed else {
      self.init(.notCompared, .skipped, "No printed zone was given, so the seal was not compared with a document.")
      return
    }
    // Small letters come from who typed them: no zone has any.
    let lines = printed.lines.map { $0.uppercased().replacing(" ", with: "<") }
    guard let zone = try? MachineReadableZone(stored: lines) else {
      self.init(
        .notCompared, .failed, "The given lines are no machine readable zone, so nothing was compared.",
        [SealFault(.document, .printedZone, .invalidPrintedZone)])
      return
    }
    let digit = zone.firstWrongCheckDigit
    if let seal = content.zone, !Self.isPassportOfHolder(zone, seal, content) {
      self = Self.compare(seal, lines, digit, isCertain: printed.isCertain)
    } else if let number = content.passportNumber {
      self = Self.compare(number, zone, digit)
    } else if let digit {
      self.init(
        .notCompared, .failed, "The printed zone has a wrong check digit (\(digit.field.rawValue)).",
        // The seal says nothing of the zone, so a wrong one proves nothing against the seal.
        [SealFault(.document, .printedZone, .invalidPrintedZone)])
    } else {
      self.init(.notCompared, .skipped, "The seal has nothing that could be compared with the printed zone.")
    }
  }

  private init(
    _ result: SealComparison, _ status: Check.Status, _ detail: String, _ faults: [SealFault] = [],
    namesPassport: Bool? = nil
  ) {
    self.result = result
    self.namesPassport = namesPassport
    judged = JudgedCheck(SealCheck(.matchesDocument, status, detail), faults: faults)
  }

  /// Whether the given zone is that of the passport, and the seal is on another document, as a visa is.
  private static func isPassportOfHolder(
    _ zone: MachineReadableZone, _ seal: SealZone, _ content: SealContent
  ) -> Bool {
    guard content.passportNumber != nil else { return false }
    return zone.format == .td3 && seal.format != .td3 && zone.documentCode.hasPrefix("P")
  }

  /// Line by line. Of a visa, the seal lacks the end of the second line.
  private static func compare(
    _ seal: SealZone, _ printed: [String], _ wrongDigit: CheckDigit?, isCertain: Bool
  ) -> ComparedSeal {
    let isWhole =
      printed.count == seal.lines.count && printed.allSatisfy { $0.utf8.count == seal.format.lineLength }
    let isSame =
      isWhole && zip(seal.lines, printed).allSatisfy { Array($0.utf8) == Array($1.utf8.prefix($0.utf8.count)) }
    if isSame {
      let visa = seal.format == .mrvA || seal.format == .mrvB
      let limit = visa ? " A visa's seal does not cover the end of the second line." : ""
      return ComparedSeal(.equalsZone, .passed, "The zone in the seal equals the printed one.\(limit)")
    }
    let wrong = wrongDigit.map { " A check digit of the printed zone is wrong (\($0.field.rawValue))." } ?? ""
    let doubt = wrongDigit != nil && !isCertain ? " It was not read with certainty." : ""
    // A zone that is wrong in the seal itself differs from that of any document.
    let isProof = isCertain && seal.zone.firstWrongCheckDigit == nil
    return ComparedSeal(
      .differs, .failed, "The printed zone differs from the one in the seal.\(wrong)\(doubt)",
      [
        SealFault(
          .document, isProof ? .document : .printedZone,
          wrongDigit == nil || isCertain ? .documentMismatch : .invalidPrintedZone, isProof: isProof)
      ])
  }

  /// An old visa may be in an old passport, so another number proves nothing against the seal.
  private static func compare(
    _ number: String, _ zone: MachineReadableZone, _ wrongDigit: CheckDigit?
  ) -> ComparedSeal {
    func trimmed(_ text: String) -> String { text.filter { $0 != "<" && $0 != " " } }
    if trimmed(number) == trimmed(zone.documentNumber), !trimmed(number).isEmpty {
      return ComparedSeal(
        .namesPassport, .passed, "The seal names the passport whose zone was given.", namesPassport: true)
    }
    let digit = wrongDigit.map { " The given zone has a wrong check digit (\($0.field.rawValue))." } ?? ""
    return ComparedSeal(
      .differs, .failed, "The seal is for the holder of another passport than the given one.\(digit)",
      [
        SealFault(
          .document, wrongDigit == nil ? .otherPassport : .printedZone,
          wrongDigit == nil ? .documentMismatch : .invalidPrintedZone)
      ], namesPassport: false)
  }
}
