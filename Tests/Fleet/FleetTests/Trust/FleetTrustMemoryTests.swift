import Foundation
import PassportTestSupport
import TesseraCore
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet

@Suite("What an inspector remembers of certificates") struct FleetTrustMemoryTests {
  private static func material(_ country: TrustCountry, _ files: [TrustFileBytes]) throws -> TrustMaterial {
    try TrustVerification.material(of: files, TrustVerification.Roots([country.root]))
  }

  private static let signer = "CN=Signer 7,O=Tessera test,C=UT"

  @Test("It does not grow when newer lists, or the same ones in other files, take the place of the old ones")
  func bounded() throws {
    let country = try TrustCountry()
    let folder = try TemporaryFolder()
    let store = TrustStore(folder: folder.file("trust"))
    let memory = TrustMemory(store, limits: TrustBucketLimits())
    let (revocations, deviations) = try (
      country.authority.revocationList(), country.authority.emptyDeviationList()
    )
    for number in 1...5 {
      let list = try country.list([TrustCountry("FR").root], days: Double(number) - 9)
      try memory.add(
        Self.material(
          country,
          [
            TrustFileBytes(name: "\(number).ml", bytes: list.bytes),
            TrustFileBytes(name: "\(number).crl", bytes: revocations),
            TrustFileBytes(name: "\(number).dl", bytes: deviations),
          ]))
    }
    let kept = try store.load()
    #expect(kept.countrySigners.map(\.sources.count) == [1])
    #expect(kept.newestLists["UT"]?.source.signedAt == TestAuthority.now.addingTimeInterval(-4 * TestAuthority.day))
    #expect(kept.revocationLists.map(\.sources.count) == [1] && kept.deviationLists.map(\.sources.count) == [1])
    #expect(kept.documentSigners.isEmpty)
  }

  @Test("More than it can remember is refused, and nothing is forgotten for it") func full() throws {
    let (country, other) = (try TrustCountry(), try TrustCountry("FR"))
    var limits = TrustBucketLimits()
    limits.rememberedCount = 1
    let memory = TrustMemory(nil, limits: limits)
    try memory.add(Self.material(country, [country.list(days: -2)]))
    try memory.add(Self.material(country, [country.list(days: -1)]))
    #expect(throws: TrustBucketError.fullMemory) { try memory.add(Self.material(other, [other.list()])) }
    #expect(throws: TrustBucketError.olderList(signer: Self.signer)) {
      try memory.add(Self.material(country, [country.list(days: -2)]))
    }
    // By its size, too.
    limits = TrustBucketLimits()
    limits.totalSize = country.root.der.count
    let small = TrustMemory(nil, limits: limits)
    try small.add(Self.material(country, [country.list()]))
    #expect(throws: TrustBucketError.fullMemory) {
      try small.add(
        Self.material(
          country, [country.list(), TrustFileBytes(name: "UT.crl", bytes: country.authority.revocationList())]))
    }
  }

  @Test("What was used counts until the program ends, also after its file was removed") func removedFile() throws {
    let (country, other) = (try TrustCountry(), try TrustCountry("FR"))
    let folder = try TemporaryFolder()
    let memory = TrustMemory(TrustStore(folder: folder.file("trust")), limits: TrustBucketLimits())
    try memory.add(Self.material(country, [country.list(days: -1)]))
    try FileManager.default.removeItem(atPath: folder.file("trust"))
    try memory.add(Self.material(other, [other.list()]))
    #expect(throws: TrustBucketError.olderList(signer: Self.signer)) {
      try memory.add(Self.material(country, [country.list(days: -2)]))
    }
  }
}
