import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("Check digits decide between characters that look alike")
struct DecoderTests {
  @Test("the specimens of all formats are read as printed", arguments: Zones.all)
  func specimens(_ lines: [String]) throws {
    let best = try #require(ZoneDecoder.best(.of(lines)))
    #expect(best.lines == lines && abs(best.correction) < 0.01 && best.margin > 10)
    let zone = try #require(RecognizedZone(best))
    #expect(zone.lines == lines)
    #expect((zone.format == "FRENCH-ID") == (lines == Zones.french))
  }

  @Test("a digit that looks more like a letter is corrected by its check digit, at its cost")
  func corrected() throws {
    // The number L898902C3: its 0 looks like an O.
    let scores = ZoneScores.of(Zones.td3, doubts: [(1, 5, "O", -2)])
    let best = try #require(ZoneDecoder.best(scores))
    #expect(best.lines == Zones.td3 && abs(best.correction - 2) < 0.01)
    #expect(ZoneVote.zone(scores)?.lines == Zones.td3)
  }

  @Test("a correction that the picture contradicts gives no zone")
  func contradicted() throws {
    #expect(ZoneVote.zone(.of(Zones.td3, doubts: [(1, 5, "O", -11)])) == nil)
  }

  @Test("two readings with right check digits give no zone unless one is much more probable")
  func undecided() throws {
    // A and K differ by 10, which no check digit sees (Doc 9303-3, 4.9).
    var lines = Zones.td3
    lines[1] = "A898902C37UTO7408122F1204159ZE184226B<<<<<16"
    let number = checkDigit(lines[1].prefix(9))
    lines[1] = "A898902C3\(number)UTO7408122F1204159ZE184226B<<<<<1"
    lines[1] +=
      "\(checkDigit(lines[1].prefix(10) + lines[1].dropFirst(13).prefix(7) + lines[1].dropFirst(21).prefix(22)))"
    #expect(ZoneVote.zone(.of(lines))?.lines == lines)
    #expect(ZoneVote.zone(.of(lines, doubts: [(1, 0, "K", 1)])) == nil)
    #expect(ZoneVote.zone(.of(lines, doubts: [(1, 0, "K", 20)]))?.lines == lines)
  }

  @Test("a letter of a name, which no check digit covers, must be clear")
  func names() throws {
    #expect(ZoneVote.zone(.of(Zones.td3, doubts: [(0, 5, "F", 1)])) == nil)
    #expect(ZoneVote.zone(.of(Zones.td3, doubts: [(0, 5, "F", 15)]))?.lines == Zones.td3)
  }

  @Test("a name has no digits, a date no letters: such doubts are none")
  func alphabets() throws {
    let scores = ZoneScores.of(
      Zones.td3, doubts: [(0, 4, "0", 0.5), (1, 15, "O", -0.5), (1, 13, "Z", 0.1), (1, 20, "P", 0.1)])
    #expect(ZoneVote.zone(scores)?.lines == Zones.td3)
  }

  @Test("no zone if a check digit is wrong beyond doubt", arguments: Zones.all)
  func wrong(_ lines: [String]) throws {
    for (row, line) in lines.enumerated() {
      for (column, character) in line.enumerated() where character.isNumber {
        var changed = lines
        let other: Character = character == "9" ? "8" : "9"
        changed[row] = String(line.prefix(column)) + String(other) + line.dropFirst(column + 1)
        // The optional data of a visa has no check digit.
        let isCovered = lines[0].hasPrefix("V") ? row == 1 && column < 28 : true
        let zone = ZoneVote.zone(.of(changed))
        #expect((zone == nil) == isCovered, "line \(row + 1), column \(column + 1)")
      }
    }
  }

  @Test("empty optional data may have a filler or a zero as its check digit")
  func emptyOptionalData() throws {
    for digit in ["<", "0"] {
      let line = "L898902C36UTO7408122F1204159<<<<<<<<<<<<<<\(digit)"
      let composite = checkDigit(line.prefix(10) + line.dropFirst(13).prefix(7) + line.dropFirst(21).prefix(22))
      let lines = [Zones.td3[0], "\(line)\(composite)"]
      #expect(ZoneVote.zone(.of(lines))?.lines == lines)
    }
    // With characters in the optional data, a filler is no check digit, though its value is zero.
    let lines = [Zones.td3[0], "L898902C36UTO7408122F1204159ZE184226B<<<<<<1"]
    #expect(ZoneVote.zone(.of(lines))?.lines != lines)
  }

  @Test("a place without a character gives no zone, however clear the best character is")
  func empty() throws {
    #expect(ZoneVote.zone(.of(Zones.td3, doubts: [(0, 8, " ", -3)])) == nil)
  }

  @Test("equal substitutions count once: many zeros that look a little like letters are one doubt")
  func equalSubstitutions() throws {
    // Nine zeros of a number: with the letter in the place of each, the check digits stay right or not; the decoder must
    // see the cheap one of those that stay right.
    let number = "000000000"
    let line = "\(number)\(checkDigit(number))UTO7408122F1204159<<<<<<<<<<<<<<0"
    let digit = checkDigit(line.prefix(10) + line.dropFirst(13).prefix(7) + line.dropFirst(21).prefix(22))
    let lines = [Zones.td3[0], "\(line)\(digit)"]
    // U has the value 30, so that no check digit sees it.
    let doubts = (0..<9).map { (line: 1, column: $0, character: Character("U"), less: Float(2)) }
    #expect(ZoneVote.zone(.of(lines)) != nil)
    #expect(ZoneVote.zone(.of(lines, doubts: doubts)) == nil)
  }

  @Test("the thirteenth month and the fortieth day are no dates")
  func dates() throws {
    for date in ["741312", "740840"] {
      var line = "L898902C36UTO\(date)\(checkDigit(date))F1204159ZE184226B<<<<<1"
      let covered = [line.prefix(10), line.dropFirst(13).prefix(7), line.dropFirst(21)].joined()
      line += "\(checkDigit(covered))"
      #expect(ZoneVote.zone(.of([Zones.td3[0], line])) == nil, "\(date)")
    }
  }

  @Test("the other sizes are no zones")
  func sizes() throws {
    #expect(ZoneDecoder.best(.of(["ABC", "DEF"])) == nil)
    #expect(ZoneDecoder.best(.of(Zones.td1 + Zones.td1)) == nil)
  }
}

@Suite("Several pictures vote")
struct VoteTests {
  private var vote = ZoneVote()

  private mutating func add(_ scores: ZoneScores?) -> [String]? {
    vote.add(MRZReading(state: .zone, outlines: [], zone: nil, scores: scores))?.lines
  }

  @Test("doubts that one picture leaves, the next ones remove")
  mutating func adds() throws {
    let first = add(ZoneScores.of(Zones.td3, doubts: [(0, 5, "F", 5.5)]))
    // A picture without a zone says nothing.
    let second = add(nil)
    let third = add(ZoneScores.of(Zones.td3, doubts: [(0, 5, "F", 5.5)]))
    #expect(first == nil && second == nil && third == Zones.td3)
  }

  @Test("the same strong doubt in every picture stays a doubt, for however long")
  mutating func stays() throws {
    for _ in 0..<100 {
      let zone = add(ZoneScores.of(Zones.td3, doubts: [(0, 5, "F", 2)]))
      #expect(zone == nil)
    }
  }

  @Test("a document that differs in a few characters begins a new vote")
  mutating func similarDocument() throws {
    let other = ["P<UTOERIKSSEN<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", Zones.td3[1]]
    _ = add(ZoneScores.of(Zones.td3, doubts: [(0, 20, "N", 1)]))
    let zone = add(ZoneScores.of(other))
    #expect(zone == other)
  }

  @Test("pictures that contradict each other give no zone")
  mutating func contradicts() throws {
    _ = add(ZoneScores.of(Zones.td3, doubts: [(0, 5, "F", 2)]))
    let second = add(ZoneScores.of(Zones.td3, doubts: [(0, 5, "F", -4)]))
    #expect(second == nil)
  }

  @Test("another document begins a new vote")
  mutating func otherDocument() throws {
    _ = add(ZoneScores.of(Zones.td3, doubts: [(0, 5, "F", 2)]))
    let second = add(ZoneScores.of(Zones.visaA))
    let third = add(ZoneScores.of(Zones.td1))
    #expect(second == Zones.visaA && third == Zones.td1)
  }
}

/// The check digit by the definition of Doc 9303-3, 4.9, written here once more.
func checkDigit(_ text: some StringProtocol) -> Int {
  var sum = 0
  for (index, byte) in text.utf8.enumerated() {
    let value: Int
    switch byte {
    case 48...57: value = Int(byte) - 48
    case 65...90: value = Int(byte) - 55
    case 60: value = 0
    default: return -1
    }
    sum += value * [7, 3, 1][index % 3]
  }
  return sum % 10
}
