import Foundation
import PassportTestSupport
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraVerification

@Suite("The dates of country certificates, and the clock")
struct TrustDatesTests {
  private static let now = TestAuthority.now
  private static let day = TestAuthority.day

  @Test("are those of the newest list, the oldest revocation list and each next one that is due")
  func dates() throws {
    let folder = try TrustFolder()
    #expect(try folder.store.dates() == TrustDates())
    let empty = try folder.store.identity()
    let (country, other) = (try TestAuthority(), try TestAuthority("FR"))
    let signedAt = Self.now - 10 * Self.day
    try folder.add(
      try country.masterList([country, other].map(\.certificate), signedAt: signedAt), name: "UT.ml",
      roots: [country.certificate])
    let before = try folder.store.identity()
    #expect(before != empty)
    try folder.add(try country.revocationList(days: -90 ..< -60), name: "UT.crl")
    try folder.add(try other.revocationList(days: -5..<90), name: "FR.crl")

    let dates = try folder.store.dates()
    #expect(try folder.store.identity() != before)
    // What the file says without its certificates is what they say.
    #expect(dates == TrustDates(try folder.store.load()))
    #expect(dates.countrySigners == 2 && dates.newestCertificates == signedAt)
    #expect(dates.revocationLists == 2 && dates.oldestRevocationList == Self.now - 90 * Self.day)
    #expect(dates.overdueRevocationLists(at: Self.now) == 1 && dates.nextUpdates.count == 2)
    #expect(dates.overdueRevocationLists(at: Self.now + 91 * Self.day) == 2)
    // The revocation list of FR is younger than the list of certificates.
    #expect(dates.newestSignature?.date == Self.now - 6 * Self.day)
  }

  @Test("a file that nobody signed counts from its import, and is no witness for the clock")
  func unsigned() throws {
    let folder = try TrustFolder()
    try folder.add(try TestAuthority().certificate.der, name: "UT.cer")
    let dates = try folder.store.dates()
    let age = try #require(dates.newestCertificates.map { Date.now.timeIntervalSince($0) })
    #expect((0..<3600).contains(age))
    #expect(dates.newestSignature == nil && dates.oldestRevocationList == nil)
  }

  @Test("a damaged store has no dates")
  func damaged() throws {
    let folder = try TrustFolder()
    try folder.add(try TestAuthority().certificate.der, name: "UT.cer")
    try folder.write(try #require(folder.bytes).dropLast())
    #expect(throws: TrustError.storeDamaged(path: folder.path)) { try folder.store.dates() }
  }

  @Test("a clock is wrong a day before what a signer states, and the sentence says what was signed when")
  func clock() throws {
    var dates = TrustDates()
    let list = try RevocationList(der: try TestAuthority().revocationList(days: 0..<30))
    dates.add(list)
    let time = try #require(dates.newestSignature)
    // Signers state their local time as UTC.
    #expect(time.problem(of: list.thisUpdate - Self.day) == nil)
    let early = list.thisUpdate - Self.day - 1
    let problem = try #require(time.problem(of: early))
    #expect(
      problem.cause
        == "The clock of this machine is wrong: it says \(early.ISO8601Format()), but the revocation list of "
        + "\(list.issuer) was signed at \(list.thisUpdate.ISO8601Format()).")
    #expect(problem.remedy == "Set the clock, for example with timedatectl set-ntp true.")
    var imported = TrustDates()
    imported.add(list, [CertificateSource(name: "UT.crl", importedAt: Self.now)])
    let remedy = try #require(imported.newestSignature?.problem(of: early)).remedy
    #expect(
      remedy
        == "Set the clock, for example with timedatectl set-ntp true. If the date of the list is in the future, remove "
        + "it: `tessera trust remove --source UT.crl`.")
  }

  @Test("the time of a document is kept in a file, which the remedy names")
  func file() throws {
    let folder = try TemporaryFolder()
    let file = SigningTimeFile(path: folder.file("state/clock"))
    #expect(file.read() == nil)
    file.write(file.passed(Self.now))
    let read = try #require(file.read())
    #expect(read.date == Self.now && read.problem(of: Self.now) == nil)
    #expect(
      read.problem(of: Self.now - 1)?.remedy
        == "Set the clock, or remove \(folder.file("state/clock")) if its time is in the future.")
    try Data("yesterday".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(file.read() == nil)
  }
}
