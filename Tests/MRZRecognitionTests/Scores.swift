@testable import TesseraMRZRecognition

extension ZoneScores {
  /// Scores of a zone whose characters are clear, except some.
  ///
  /// - Parameters:
  ///   - doubts: by line and column, further characters and how much less probable they are than the printed one;
  ///     negative numbers for more probable ones.
  static func of(
    _ lines: [String], doubts: [(line: Int, column: Int, character: Character, less: Float)] = []
  ) -> ZoneScores {
    let columns = lines.first?.utf8.count ?? 0
    var values = [Float](repeating: -30, count: lines.count * columns * ZoneCharacter.count)
    func index(_ line: Int, _ column: Int, _ character: UInt8) -> Int {
      (line * columns + column) * ZoneCharacter.count + (ZoneCharacter.number(character) ?? ZoneCharacter.none)
    }
    for (line, text) in lines.enumerated() {
      for (column, character) in text.utf8.enumerated() { values[index(line, column, character)] = -0.01 }
    }
    for doubt in doubts {
      for character in String(doubt.character).utf8 {
        values[index(doubt.line, doubt.column, character)] = -0.01 - doubt.less
      }
    }
    return ZoneScores(rows: lines.count, columns: columns) { _ = $0.update(fromContentsOf: values) }
  }
}

/// The specimens of Doc 9303 (parts 4 to 7), and a French identity card.
enum Zones {
  static let td3 = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]
  static let td2 = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]
  static let td1 = [
    "I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
  ]
  static let visaA = ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<"]
  static let visaB = ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<"]
  /// Doc 9303-5, appendix B, with a document number of 14 characters.
  static let longNumber = [
    "I<UTOD23145890<7349<<<<<<<<<<<", "3407127M9507122UTO<<<<<<<<<<<2", "STEVENSON<<PETER<JOHN<<<<<<<<<",
  ]
  /// The specimen of the French ministry of the interior.
  static let french = ["IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858CORINNE<<<<<<<6512068F6"]
  /// Documents that do not expire.
  static let noExpiry = [
    "P<UTOSPECIMEN<<ALEX<<<<<<<<<<<<<<<<<<<<<<<<<", "UT00990014UTO8004129F<<<<<<0<<<<<<<<<<<<<<<0",
  ]
  static let noExpiryNorDigit = [
    "I<UTOUT00990014<<<<<<<<<<<<<<<", "8004129F<<<<<<<UTO<<<<<<<<<<<0", "SPECIMEN<<ALEX<<<<<<<<<<<<<<<<",
  ]

  static let all = [td3, td2, td1, visaA, visaB, longNumber, french, noExpiry, noExpiryNorDigit]
}
