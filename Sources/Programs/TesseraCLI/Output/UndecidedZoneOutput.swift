import Tessera
import TesseraCommandLine

/// A zone that pictures leave open, with what it may be: for the user's own terminal, as a zone is.
struct UndecidedZoneOutput {
  /// What shows the zone, as the subject of a sentence.
  let source: String
  /// The picture, if there are several.
  let image: String?
  let zone: UndecidedZone

  /// So many readings of a field are shown.
  private static let mostShown = 4

  /// Writes the doubts to standard error; with `--json`, also the candidates to standard output.
  ///
  /// - Returns: the exit status.
  func report(asJSON: Bool) throws -> Int32 {
    ErrorOutput.note(failure(showsReadings: true))
    if asJSON { try StandardOutput.write(JSONValue.object(object).text) }
    return FailureKind.noZone.exitStatus
  }

  private var object: JSONObject {
    var object = JSONObject()
    object["error"] = ErrorOutput.object(failure(showsReadings: false))
    if let image { object["image"] = .string(image) }
    object["candidates"] = .array(
      zone.candidates.map { candidate in
        var member = MRZOutput.object(candidate.zone)
        // More digits say nothing.
        member["weight"] = JSONNumber((candidate.weight * 1e6).rounded() / 1e6).map(JSONValue.number)
        return .object(member)
      })
    object["doubts"] = .array(
      zone.doubts.map {
        ["field": .string($0.field.rawValue), "readings": .array($0.readings.map(JSONValue.string))]
      })
    return object
  }

  // MARK: - Words

  private func failure(showsReadings: Bool) -> Failure {
    guard !zone.doubts.isEmpty else {
      return Failure(
        .noZone, "\(source) shows a machine readable zone, but not clearly enough to be sure of every character.",
        remedy: "Photograph the page again: nearer, sharp, without reflections; or type the zone.")
    }
    let doubts = zone.doubts.map { showsReadings ? Self.text($0) : $0.field.rawValue }.joined(separator: "; ")
    let letters = showsReadings && zone.doubts.contains(where: \.isOfLetterAndDigit)
    return Failure(
      .noZone, "\(source) leaves a doubt: \(doubts).\(letters ? " O and I are letters, 0 and 1 digits." : "")",
      remedy: remedy)
  }

  private static func text(_ doubt: MRZDoubt) -> String {
    let all = doubt.readings.map { $0.isEmpty ? "nothing" : $0 }
    let shown = all.count > mostShown ? all.prefix(mostShown - 1) + ["another"] : all
    return "\(doubt.field.rawValue) \(Alternatives.text(shown))"
  }

  private var remedy: String {
    let keyFields: [MRZDoubt.Field] = [.documentNumber, .dateOfBirth, .dateOfExpiry]
    let hasChip = zone.candidates.contains { $0.zone.zone != nil }
    let way =
      if !hasChip {
        "Compare it with the document."
      } else if zone.doubts.contains(where: { keyFields.contains($0.field) }) {
        "Compare it with the document and specify the key that it has, or let the chip decide: "
          + "`tessera mrz scan --json … | tessera passport read --mrz -` tries the readings."
      } else {
        "The key of the chip is in no doubt: `tessera mrz scan --json … | tessera passport read --mrz -` reads the rest."
      }
    // So many doubts are the picture's and not the document's.
    return zone.doubts.count > 2 ? "\(way) A nearer, sharper picture helps, too." : way
  }
}

extension MRZDoubt {
  /// Whether two readings differ only in a letter and a digit of the same shape.
  fileprivate var isOfLetterAndDigit: Bool {
    let digits = readings.map { $0.replacing("O", with: "0").replacing("I", with: "1") }
    return Set(digits).count < Set(readings).count
  }
}

/// A zone that was read from a picture, as text or JSON.
struct MRZOutput {
  private let zone: RecognizedZone
  private let image: String?

  /// - Parameters:
  ///   - zone: what was read.
  ///   - image: the picture, if there are several.
  init(_ zone: RecognizedZone, image: String? = nil) {
    self.zone = zone
    self.image = image
  }

  /// The lines as printed, after the name of the picture if there are several; or an object on one line with the fields that `tessera passport read --json` names.
  func text(asJSON: Bool) -> String {
    guard asJSON else { return (image.map { "\(Terminal.printable($0)):\n" } ?? "") + zone.text }
    return JSONValue.object(Self.object(zone, image: image)).text
  }

  /// The lines, the picture if there are several, and the fields.
  static func object(_ zone: RecognizedZone, image: String? = nil) -> JSONObject {
    var object: JSONObject = ["format": .string(zone.format), "mrz": .string(zone.text)]
    if let image { object["image"] = .string(image) }
    if let fields = zone.zone {
      object["type"] = .string(fields.documentCode)
      object["issuingState"] = .string(fields.issuingState)
      object["documentNumber"] = .string(fields.documentNumber)
      object["surname"] = .string(fields.primaryIdentifier)
      object["givenNames"] = .string(fields.secondaryIdentifier)
      // The former names.
      object["primaryIdentifier"] = .string(fields.primaryIdentifier)
      object["secondaryIdentifier"] = .string(fields.secondaryIdentifier)
      object["nationality"] = .string(fields.nationality)
      object["dateOfBirth"] = .string(fields.dateOfBirth)
      object["sex"] = .string(fields.sex)
      object["dateOfExpiry"] = .string(fields.dateOfExpiry)
      object["optionalData"] = .string(
        [fields.optionalData, fields.optionalData2].filter { !$0.isEmpty }.joined(separator: " "))
    }
    return object
  }
}
