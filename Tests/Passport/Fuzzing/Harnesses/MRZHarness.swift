import Foundation
import TesseraVirtualChip

@testable import TesseraPassport

/// The machine readable zone: typed, printed, and built from fields.
enum MRZHarness: Harness {
  static let name = "mrz"

  static func seeds() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for format in MachineReadableZone.Format.allCases {
      var content = SpecimenDocument.content
      if format == .mrvA || format == .mrvB { content.documentCode = "V" }
      seeds[format.rawValue] = Array(try MachineReadableZone(content, format: format).text.utf8)
    }
    seeds["long-number"] = Array(
      "I<UTOD23145890<7349<<<<<<<<<<<3407127M9507122UTO<<<<<<<<<<<2STEVENSON<<PETER<JOHN<<<<<<<<<".utf8)
    seeds["key"] = Array("L898902C<3 6908061 9406236".utf8)
    seeds["number"] = Array("264718".utf8)
    seeds["fields"] = Array(
      "P\nUTO\nTS0264718\nUTO\n900214\nF\n350630\nMüller-O'Neil\nΜαρία الله Ђорђе\nA1".utf8)
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    if let zone = try? MachineReadableZone(typed: text) {
      property(zone.firstWrongCheckDigit == nil, "a typed zone has right check digits")
      check(zone)
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if let zone = try? MachineReadableZone(printed: lines) { check(zone) }
    if let information = try? MRZInformation(typed: text) { _ = try? information.keySeed() }
    _ = try? AccessKey(cardAccessNumber: text)
    spell(text)
    build(lines)
  }

  private static func check(_ zone: MachineReadableZone) {
    let again = try? MachineReadableZone(printed: zone.text.split(separator: "\n").map(String.init))
    property(again?.text == zone.text, "the text of a zone is the zone")
    _ = (try? MRZInformation(zone)).flatMap { try? $0.keySeed() }
    let date = Date(timeIntervalSince1970: 1_750_000_000)
    for meaning in [MRZDate.Meaning.birth, .expiry] {
      _ = MRZDate(zone.dateOfBirth, meaning, today: date)?.description
      _ = MRZDate(zone.dateOfExpiry, meaning, today: date)?.isOver(at: date)
    }
    _ = (zone.primaryIdentifier, zone.secondaryIdentifier, zone.documentNumber)
  }

  private static func spell(_ text: String) {
    let spelled = Transliteration.mrzCharacters(for: text)
    let isSpelled = spelled.utf8.allSatisfy {
      (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x3C
    }
    property(isSpelled, "a transliteration has only characters of a zone")
    property(!spelled.contains("<<") && !spelled.hasPrefix("<") && !spelled.hasSuffix("<"), "single fillers within")
  }

  private static func build(_ fields: [String]) {
    guard fields.count >= 10 else { return }
    let content = MachineReadableZone.Content(
      documentCode: fields[0], issuingState: fields[1], documentNumber: fields[2], nationality: fields[3],
      dateOfBirth: fields[4], sex: fields[5], dateOfExpiry: fields[6], primaryIdentifier: fields[7],
      secondaryIdentifier: fields[8], optionalData: fields[9])
    for format in MachineReadableZone.Format.allCases {
      guard let zone = try? MachineReadableZone(content, format: format) else { continue }
      property(zone.firstWrongCheckDigit == nil, "a zone that was built has right check digits: \(zone.lines)")
    }
  }
}
