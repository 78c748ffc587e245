import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("What a picture leaves open")
struct CandidateTests {
  @Test("a decided zone is the only candidate, and there is no doubt")
  func decided() throws {
    for lines in Zones.all {
      let candidates = ZoneVote.candidates(.of(lines))
      #expect(candidates.map(\.zone.lines) == [lines] && candidates.first?.weight == 1)
      #expect(MRZDoubt.doubts(of: candidates).isEmpty)
    }
  }

  @Test("a number that may have letters is named with both readings, the most probable first")
  func number() throws {
    let lines = ZoneText.td3("2O7O74137")
    let candidates = ZoneVote.candidates(.of(lines, by: 8))
    let numbers = candidates.map { $0.zone.text(of: .documentNumber) }
    #expect(numbers.prefix(2) == ["2O7O74137", "207074137"])
    let weights = candidates.map(\.weight)
    #expect(weights == weights.sorted(by: >) && abs(weights.reduce(0, +) - 1) < 1e-9)
    #expect(MRZDoubt.doubts(of: candidates) == [MRZDoubt(field: .documentNumber, readings: numbers)])
  }

  @Test("at most eight candidates, each once, each with right check digits")
  func bounded() throws {
    let lines = ZoneText.td3("100000001")
    let zeros = lines[1].prefix(9).enumerated().filter { $0.element == "0" }
    for less in [-8, -7, -6, 0] as [Float] {
      let candidates = ZoneVote.candidates(
        .of(lines, doubts: zeros.map { (line: 1, column: $0.offset, character: "O", less: less) }))
      #expect(candidates.count <= 8 && Set(candidates.map(\.zone.text)).count == candidates.count)
      #expect(candidates.allSatisfy { $0.zone.zone?.firstWrongCheckDigit == nil })
    }
  }

  @Test("a letter of the name is a doubt of the name")
  func name() throws {
    let candidates = ZoneVote.candidates(.of(Zones.td3, doubts: [(0, 5, "F", 1)]))
    #expect(candidates.count == 2)
    #expect(
      MRZDoubt.doubts(of: candidates) == [
        MRZDoubt(field: .names, readings: ["ERIKSSON<<ANNA<MARIA", "FRIKSSON<<ANNA<MARIA"])
      ])
  }

  @Test("doubts of two fields are both named, and their candidates are their combinations")
  func two() throws {
    let candidates = ZoneVote.candidates(.of(Zones.td3, doubts: [(0, 5, "F", 1), (1, 20, "M", 2)]))
    #expect(candidates.count == 4)
    #expect(MRZDoubt.doubts(of: candidates).map(\.field) == [.sex, .names])
  }

  @Test("lines that are no zone have no candidates")
  func nothing() throws {
    #expect(ZoneVote.candidates(.of(Zones.td3, doubts: [(1, 5, "O", -11)])).isEmpty)
    #expect(ZoneVote().candidates.isEmpty && MRZReading.nothing.candidates.isEmpty)
    #expect(MRZDoubt.doubts(of: []).isEmpty)
    let wrong = [Zones.td3[0], "L898902C37UTO7408122F1204159ZE184226B<<<<<10"]
    #expect(ZoneVote.candidates(.of(wrong)).isEmpty)
  }

  @Test("a check digit is a doubt of its own where nothing else differs")
  func checkDigit() throws {
    let lines = ZoneText.td3("L898902C3")
    let filler = [lines[0], String(lines[1].prefix(42)) + "<" + lines[1].suffix(1)]
    let candidates = ZoneVote.candidates(.of(filler, doubts: [(1, 42, "0", 1)]))
    #expect(MRZDoubt.doubts(of: candidates).map(\.field) == [.checkDigits])
  }

  @Test("the vote's candidates are those of all pictures")
  func vote() throws {
    var vote = ZoneVote()
    let reading = MRZReading(
      state: .zone, outlines: [], zone: nil, scores: .of(Zones.td3, doubts: [(0, 5, "F", 1)]))
    let zone = vote.add(reading)
    #expect(zone == nil && vote.candidates.count == 2 && vote.candidates == reading.candidates)
  }

  @Test("the French card's fields")
  func french() throws {
    let zone = try #require(ZoneVote.zone(.of(Zones.french)))
    let texts = MRZDoubt.Field.allCases.map { zone.text(of: $0) }
    #expect(
      texts == [
        "ID", "FRA", "880692310285", "651206", "F", "", "", "", "BERTHIER<<CORINNE", "886",
      ])
  }
}
