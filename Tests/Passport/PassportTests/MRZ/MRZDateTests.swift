import Foundation
import TesseraPassport
import Testing

@Suite("Dates of a zone")
struct MRZDateTests {
  /// 28 November 2026.
  private static let today = Date(timeIntervalSince1970: 1_795_867_200)

  @Test(
    "a date of birth is not in the future",
    arguments: [
      ("261201", "1926-12-01"), ("261129", "1926-11-29"), ("261128", "2026-11-28"), ("261127", "2026-11-27"),
      ("270101", "1927-01-01"), ("990101", "1999-01-01"), ("000229", "2000-02-29"),
    ])
  func birth(_ text: String, _ date: String) {
    #expect(MRZDate(text, .birth, today: Self.today)?.description == date)
  }

  @Test(
    "no document with a chip has expired before there were chips",
    arguments: [
      ("990101", "2099-01-01"), ("991231", "2099-12-31"), ("770101", "2077-01-01"), ("760101", "2076-01-01"),
      ("261128", "2026-11-28"), ("050101", "2005-01-01"), ("350630", "2035-06-30"),
    ])
  func expiry(_ text: String, _ date: String) throws {
    let expiry = try #require(MRZDate(text, .expiry, today: Self.today))
    #expect(expiry.description == date)
    #expect(expiry.isOver(at: Self.today) == (date < "2026-11-28"))
  }

  @Test(
    "a date that does not exist or is not known has no century",
    arguments: ["010229", "261301", "260100", "000000", "<<<<<<", "00<<<<", "+1+1+1", "26 101", "2601011", "26010", ""])
  func none(_ text: String) {
    for meaning in [MRZDate.Meaning.birth, .expiry] {
      #expect(MRZDate(text, meaning, today: Self.today) == nil)
    }
  }

  @Test("a typed date is one of the calendar, or has unknown parts")
  func calendar() {
    let dates = [
      "900214", "1990-02-14", "14.02.1990", "14/2/90", "920229", "000229", "9002<<", "<<<<<<", "900200", "000000",
      "999999",
    ]
    for date in dates { #expect(MRZInformation.isInCalendar(date), "\(date)") }
    let others = [
      "900230", "910229", "30.02.1990", "1990-04-31", "901314", "9002", "", "abcdef", "+1+1+1", "14.02.199",
    ]
    for date in others { #expect(!MRZInformation.isInCalendar(date), "\(date)") }
    // What a misprinted document states is its key all the same.
    #expect((try? MRZInformation(documentNumber: "1", dateOfBirth: "900230", dateOfExpiry: "350630")) != nil)
  }
}
