import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("What issuers print decides between characters that no check digit tells apart")
struct NumberTests {
  /// Numbers of which some zeros can be letters without a change of the check digit, as clean pages showed them: 0 is 4.7
  /// to 7 nats more probable than O.
  @Test(
    "numbers of digits with zeros are decided",
    arguments: ["207074137", "100000001", "X1000000Y", "L00000000", "C01X0006H", "000000000", "20O7O4137"])
  func zeros(_ number: String) throws {
    let lines = ZoneText.td3(number)
    #expect(ZoneVote.zone(.of(lines, by: number.contains("O") ? 14 : 4.7))?.lines == lines)
  }

  @Test("the French card of 1988 is decided, Corsica's departments too")
  func french() throws {
    for number in ["880792310285", "940192100001", "00012A000000", "05032B000010", "000000000000"] {
      let lines = ZoneText.french(number)
      #expect(ZoneVote.zone(.of(lines, by: 3))?.lines == lines, "\(number)")
    }
  }

  @Test("Belgium's card with twelve digits is decided")
  func belgian() throws {
    for number in ["590330101085", "000590448002", "000000000000"] {
      let lines = ZoneText.td1(number, state: "BEL", code: "ID")
      #expect(ZoneVote.zone(.of(lines, by: 3))?.lines == lines, "\(number)")
    }
  }

  /// The specimen of PRADO's BEL-BO-03003, by cheminfo/mrz, check.test.ts; a made-up Portuguese card.
  @Test("a long number whose check digit counts the filler in its place is read")
  func countedFiller() throws {
    for (number, first) in [("000590240601", "IDBEL000590240<6013"), ("000024759ZZ7", "I<PRT000024759<ZZ72")] {
      var lines = ZoneText.td1(number, state: String(first.dropFirst(2).prefix(3)))
      lines[0] = ZoneText.padded(first, 30)
      let covered = lines[0].dropFirst(5) + lines[1].prefix(7) + lines[1].dropFirst(8).prefix(7)
      lines[1] = "\(lines[1].dropLast())\(checkDigit(covered + lines[1].dropFirst(18).dropLast()))"
      let zone = ZoneVote.zone(.of(lines))
      #expect(zone?.lines == lines && zone?.zone?.documentNumber == number, "\(number)")
      // A wrong digit is none of both.
      lines[0] = lines[0].replacing(first, with: "\(first.dropLast())5")
      #expect(ZoneVote.zone(.of(lines)) == nil)
    }
  }

  @Test("Germany has no O and no I: what could be one is a digit")
  func german() throws {
    for number in ["C01X0006H", "L01X00T47", "C00000000", "T22000129"] {
      let lines = ZoneText.td3(number, state: "D")
      #expect(ZoneVote.zone(.of(lines, by: 3))?.lines == lines, "\(number)")
    }
  }

  @Test("the Netherlands have no O")
  func dutch() throws {
    let lines = ZoneText.td3("SPE0I2000", state: "NLD")
    #expect(ZoneVote.zone(.of(lines, by: 3, alike: ["0O"]))?.lines == lines)
  }

  @Test("an O that the picture shows clearly is read, also where issuers print none")
  func clearLetter() throws {
    for state in ["D", "UTO", "NLD", "GBR"] {
      let lines = ZoneText.td3("2O7O74137", state: state)
      #expect(ZoneVote.zone(.of(lines, by: 14))?.lines == lines, "\(state)")
      for difference in [0.1, 0.5, 1, 3, 6, 12] as [Float] {
        let zone = ZoneVote.zone(.of(lines, by: difference))
        #expect(zone == nil || zone?.lines == lines, "\(state) by \(difference)")
      }
    }
  }

  @Test("a place that says nothing does not hide one that says much")
  func differentEvidence() throws {
    let lines = ZoneText.td3("1O2O34567")
    for less in [3, 6.2, 9, 12] as [Float] {
      let zone = ZoneVote.zone(.of(lines, doubts: [(1, 1, "0", -0.1), (1, 3, "0", less)]))
      #expect(zone == nil || zone?.lines == lines, "\(less)")
    }
  }

  /// Shapes that no rule has: one substitution by a character whose value differs by ten passes every check digit.
  @Test(
    "a rule alone never decides",
    arguments: [("A12G34567", "G6"), ("M123G4567", "G6"), ("RPG123456", "G6"), ("1S2S34567", "S8")])
  func rareShapes(_ number: String, _ pair: String) throws {
    for state in ["UTO", "KOR", "POL", "TUR"] {
      for code in ["P<", "IR"] {
        let lines = code == "IR" ? ZoneText.td1(number, state: state, code: code) : ZoneText.td3(number, state: state)
        for difference in [-2, -1, -0.1, 0, 0.1, 1, 3] as [Float] {
          let zone = ZoneVote.zone(.of(lines, by: difference, alike: [pair]))
          #expect(zone == nil || zone?.lines == lines, "\(state) \(code) by \(difference)")
        }
      }
    }
  }

  @Test("letters before the digits are read as letters, O and I too")
  func prefix() throws {
    for number in ["AO1234567", "IO1234567", "OO7654321"] {
      let lines = ZoneText.td3(number, state: "GRC")
      #expect(ZoneVote.zone(.of(lines, by: 6))?.lines == lines, "\(number)")
    }
  }

  @Test("optional data of digits are digits")
  func optionalData() throws {
    let lines = ZoneText.td3("L77777777", optionalData: "85073003328")
    #expect(ZoneVote.zone(.of(lines, by: 3))?.lines == lines)
    let card = ZoneText.td1("D77777777", optionalData: "85073003328")
    #expect(ZoneVote.zone(.of(card, by: 3))?.lines == card)
    // Of a visa no check digit covers them.
    let visa = ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F9612109100200300<<<<<<<"]
    #expect(ZoneVote.zone(.of(visa, by: 4))?.lines == visa)
  }

  @Test("a rule is worth less than a clear picture")
  func bounded() throws {
    let numbers = [
      "207074137", "2O7O74137", "OOOOOOOOO", "000000000", "C01X0006H", "COIXOOO6H", "A", "<", "1<2", "QQQQQQQQQ",
      "590330101085", "59O33O1O1O85",
    ]
    for prior in [
      NumberPrior(issuingState: "D", kind: .passport), NumberPrior(issuingState: "BEL", kind: .identityCard),
      NumberPrior(issuingState: "", kind: .identityCard), .optionalData,
      NumberPrior(issuingState: "FRA", kind: .identityCard, isOldFrenchCard: true),
    ] {
      let values = numbers.map { prior.value($0.utf8.compactMap(ZoneCharacter.number)) }
      for value in values {
        #expect(value.isFinite)
        for other in values {
          #expect(abs(NumberPrior.difference(value, other)) <= NumberPrior.range)
          #expect(abs(NumberPrior.bounded(value) - NumberPrior.bounded(other)) <= NumberPrior.range)
        }
      }
    }
  }

  @Test(
    "random numbers are never read wrongly if the picture favours the truth", arguments: [0.2, 3, 6, 12] as [Float])
  func neverWrong(_ difference: Float) throws {
    var generator = SplitMix(seed: UInt64(difference * 10))
    let digits = Array("0123456789")
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    var decided: [String: Int] = [:]
    // 2,000 take minutes without optimisation.
    let count = Sweep.isFull ? 250 : 80
    for kind in ["digits", "letters and digits", "any"] {
      for _ in 0..<count {
        func random(_ characters: [Character], _ count: Int) -> String {
          String((0..<count).map { _ in characters[Int(generator.next() % UInt64(characters.count))] })
        }
        let number =
          switch kind {
          case "digits": random(digits, 9)
          case "letters and digits": random(letters, 2) + random(digits, 7)
          default: random(digits + letters, 9)
          }
        let lines = ZoneText.td3(number)
        let zone = ZoneVote.zone(.of(lines, by: difference))
        if zone != nil { decided[kind, default: 0] += 1 }
        #expect(zone == nil || zone?.lines == lines, "\(number)")
      }
    }
    guard difference >= 3 else {
      // The picture says next to nothing, and the rules alone decide nothing.
      #expect(decided["digits", default: 0] < count && decided["any", default: 0] < count)
      return
    }
    #expect(difference < 6 ? decided["digits", default: 0] > count * 8 / 10 : decided["digits"] == count)
    #expect(decided["letters and digits", default: 0] > count * 9 / 10 && decided["any", default: 0] > count / 2)
  }
}
