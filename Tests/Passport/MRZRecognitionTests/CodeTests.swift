import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("Codes and names that no check digit covers")
struct CodeTests {
  @Test("a code that is in the list is read where the picture is not clear")
  func listed() throws {
    let pairs = [("D<<", "O<<"), ("DOM", "DDM"), ("RKS", "RKJ"), ("EUE", "FUE"), ("UNO", "UNQ"), ("XOM", "XQM")]
    for (state, other) in pairs {
      let lines = ZoneText.td3("L898902C3", state: state)
      var doubts: [(line: Int, column: Int, character: Character, less: Float)] = []
      for (index, pair) in zip(state, other).enumerated() where pair.0 != pair.1 {
        doubts += [(0, 2 + index, pair.1, 4), (1, 10 + index, pair.1, 4)]
      }
      #expect(ZoneVote.zone(.of(lines, doubts: doubts))?.lines == lines, "\(state)")
    }
  }

  @Test("two codes of the list stay a doubt")
  func bothListed() throws {
    let lines = ZoneText.td3("L898902C3", state: "IRN")
    #expect(ZoneVote.zone(.of(lines, doubts: [(0, 4, "Q", 2), (1, 12, "Q", 2)])) == nil)
  }

  @Test("a code of no list is read if it is clear")
  func unlisted() throws {
    let lines = ZoneText.td3("L898902C3", state: "QQQ")
    #expect(ZoneVote.zone(.of(lines))?.lines == lines)
    #expect(ZoneVote.zone(.of(lines, by: 14, alike: ["QO"]))?.lines == lines)
  }

  /// immihelp.com, "Green Card Explanation": C1 or C2.
  @Test(
    "the card of permanent residents of the United States has a digit in its document code", arguments: ["C1", "C2"])
  func residentCard(_ code: String) throws {
    let lines = ZoneText.td1("098766543", state: "USA", optionalData: "SRC0000000701", code: code)
    #expect(ZoneVote.zone(.of(lines))?.lines == lines)
    // A letter that looks like the digit stays what it is where the picture is clear, and is never read as the digit.
    let letters = ZoneText.td1("098766543", state: "USA", code: code == "C1" ? "CI" : "CZ")
    #expect(ZoneVote.zone(.of(letters, doubts: [(0, 1, code == "C1" ? "1" : "2", 14)]))?.lines == letters)
    #expect(ZoneVote.zone(.of(letters, doubts: [(0, 1, code == "C1" ? "1" : "2", 1)])) == nil)
  }

  /// As the INE prints it, hombre and mujer. The card has no chip.
  @Test("the voter card of Mexico has H or M as the sex, and no other card has H")
  func voterCard() throws {
    func lines(_ state: String, _ sex: Character) -> [String] {
      var lines = ZoneText.td1("123456789", state: state, optionalData: "<0123456789012", code: "ID")
      lines[1] = "\(lines[1].prefix(7))\(sex)\(lines[1].dropFirst(8))"
      return lines
    }
    for sex in "HM" {
      let zone = ZoneVote.zone(.of(lines("MEX", sex)))
      #expect(zone?.lines == lines("MEX", sex) && zone?.zone?.sex == String(sex))
    }
    #expect(ZoneVote.zone(.of(lines("UTO", "M"), doubts: [(1, 7, "H", 0.1)]))?.lines == lines("UTO", "M"))
    #expect(ZoneVote.zone(.of(lines("UTO", "H")))?.lines != lines("UTO", "H"))
  }

  @Test("every listed code has three places and is different")
  func codes() throws {
    #expect(Set(StateCode.codes).count == StateCode.codes.count && StateCode.codes.count > 270)
    #expect(StateCode.codes.allSatisfy { $0.count == 3 && ($0.first ?? 0) >= 10 })
  }

  @Test("a letter among the fillers behind the name is a filler unless it is clear")
  func fillers() throws {
    let lines = Zones.td3
    #expect(ZoneVote.zone(.of(lines, doubts: [(0, 35, "K", 4), (0, 38, "C", 4)]))?.lines == lines)
    // The letter is more probable by a little: a doubt, or a filler; never the letter.
    let zone = ZoneVote.zone(.of(lines, doubts: [(0, 35, "K", -1)]))
    #expect(zone == nil || zone?.lines == lines)
    let best = try #require(ZoneDecoder.best(.of(lines, doubts: [(0, 35, "K", -1)])))
    #expect(best.lines == lines)
    // Between the words a letter is as probable as a filler.
    #expect(ZoneVote.zone(.of(lines, doubts: [(0, 19, "K", 3)])) == nil)
  }

  @Test("names have no digits in any format")
  func digits() throws {
    for lines in Zones.all {
      for (row, line) in lines.enumerated() {
        for (column, character) in line.enumerated() where character.isLetter {
          let layouts = ZoneLayout.all(rows: lines.count, columns: line.count, continuations: [])
          for layout in layouts {
            let names = layout.unchecked.filter { $0.content == .names }.flatMap(\.cells)
            guard names.contains(row * line.count + column) else { continue }
            let digits = layout.alphabets[row * line.count + column] & ZoneLayout.digits
            let isRussian = layout.alphabets.first == 1 << 25 && layout.alphabets[1] == 1 << 23
            #expect((digits != 0) == isRussian)
          }
        }
      }
    }
  }

  @Test("Russia's internal passport has digits in its names and no date of expiry")
  func russian() throws {
    // The example of the ministry's rules: series 11 04, number 000000.
    var line = "110000000\(checkDigit("110000000"))RUS730223\(checkDigit("730223"))M<<<<<<<4041218910003"
    line = ZoneText.padded(line, 42)
    line += "\(checkDigit(line.dropFirst(28)))"
    line += "\(checkDigit(line.prefix(10) + line.dropFirst(13).prefix(7) + line.dropFirst(21)))"
    let lines = [ZoneText.padded("PNRUSIVANOVSKIQ<<ARSENIQ<7NO8EVI3", 44), line]
    #expect(ZoneVote.zone(.of(lines))?.lines == lines)
    // Other formats permit no digits in names, and must not decide what this one leaves open.
    for (printed, other) in [("8", "B"), ("B", "8")] as [(Character, Character)] {
      var lines = lines
      lines[0] = lines[0].replacing("8", with: String(printed))
      let column = try #require(lines[0].firstIndex(of: printed)).utf16Offset(in: lines[0])
      #expect(ZoneVote.zone(.of(lines, doubts: [(0, column, other, 0.1)])) == nil, "\(printed)")
    }
  }

  @Test("no document has a thirteenth month; nines and zeros are dates that are not known")
  func dates() {
    func value(_ text: String) -> Float { DatePrior.value(text.utf8.compactMap(ZoneCharacter.number)[...]) }
    #expect(value("740812") == 0 && value("001231") == 0)
    for date in ["741312", "740832", "749912", "740099", "7408"] { #expect(value(date) == -8, "\(date)") }
    for date in ["740012", "740800", "999999", "74<<<<", "<<<<<<"] {
      #expect(value(date) < 0 && value(date) > -8, "\(date)")
    }
  }
}
