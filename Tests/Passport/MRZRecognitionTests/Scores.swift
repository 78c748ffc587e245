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

extension ZoneScores {
  /// Characters that look alike, also to the networks.
  static let alike = ["0O", "1I", "5S", "8B", "2Z"]

  /// Scores of a zone in which each character that looks like another one is only a little more probable than that.
  ///
  /// - Parameter difference: in nats; of characters of no check digit 10 more.
  static func of(_ lines: [String], by difference: Float, alike: [String] = alike) -> ZoneScores {
    var doubts: [(line: Int, column: Int, character: Character, less: Float)] = []
    for (line, text) in lines.enumerated() {
      for (column, character) in text.enumerated() {
        for other in alike.first(where: { $0.contains(character) }) ?? "" where other != character {
          doubts.append((line, column, other, difference))
        }
      }
    }
    return .of(lines, doubts: doubts)
  }
}

/// Lines with right check digits.
enum ZoneText {
  static func td3(_ number: String, state: String = "UTO", optionalData: String = "", code: String = "P<") -> [String] {
    let (state, number) = (padded(state, 3), padded(number, 9))
    let optional = padded(optionalData, 14)
    var line = "\(number)\(checkDigit(number))\(state)7408122F3204153\(optional)\(checkDigit(optional))"
    line += "\(checkDigit(line.prefix(10) + line.dropFirst(13).prefix(7) + line.dropFirst(21)))"
    return [padded("\(code)\(state)ERIKSSON<<ANNA<MARIA", 44), line]
  }

  static func td1(_ number: String, state: String = "UTO", optionalData: String = "", code: String = "I<") -> [String] {
    let state = padded(state, 3)
    var first = "\(code)\(state)"
    if number.count > 9 {
      first += "\(number.prefix(9))<\(number.dropFirst(9))\(checkDigit(number))<"
    } else {
      first += padded(number, 9) + "\(checkDigit(padded(number, 9)))"
    }
    first = padded(first + optionalData, 30)
    let second = padded("7408122F3204153\(state)", 29)
    let digit = checkDigit(first.dropFirst(5) + second.prefix(7) + second.dropFirst(8).prefix(7) + second.dropFirst(18))
    return [first, "\(second)\(digit)", padded("ERIKSSON<<ANNA<MARIA", 30)]
  }

  /// The French card of 1988.
  static func french(_ number: String, office: String = "923456") -> [String] {
    let first = padded("IDFRABERTHIER", 30) + office
    let second = "\(number)\(checkDigit(number))" + padded("CORINNE", 14) + "6512068F"
    return [first, "\(second)\(checkDigit(first + second))"]
  }

  static func padded(_ text: String, _ length: Int) -> String {
    String((text + String(repeating: "<", count: length)).prefix(length))
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

  /// Moldova's card of an old person (snifter/MRZCode.NET, pull requests 3 and 4).
  static let moldovan = [
    "IDMDAB123456781<<<<<<<<<<<<<<<", "7408122F<<<<<<0MDA<<<<<<<<<<<8", "POPESCU<<ANA<<<<<<<<<<<<<<<<<<",
  ]
  /// The specimen of the French card of 2021.
  static let french2021 = [
    "IDFRAX4RTBPFW46<<<<<<<<<<<<<<<", "9007138F3002119FRA<<<<<<<<<<<6", "MARTIN<<MAELYS<GAELLE<MARIE<<<",
  ]
  /// A German card of 1987 to 2010.
  static let german = ["IDD<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<", "1220001297D<<6408125<1110078<<<<<<<2"]

  static let all = [
    td3, td2, td1, visaA, visaB, longNumber, french, noExpiry, noExpiryNorDigit, moldovan, french2021, german,
  ]
}
