import Tessera
import Testing

@Suite("The certificates of a test country")
struct TestCountryTrustTests {
  @Test("prove nothing unless the caller says so, since anyone has the private keys")
  func authenticity() throws {
    let document = try SpecimenDocument()
    let files = document.files.all.compactMap { file in document.files[file].map { (file: file, bytes: $0) } }
    let dump = DocumentDump(files: files)
    let country = document.country
    #expect(try Report(dump, trust: TrustMaterial(testCountry: country)).outcome == .notEstablished)
    #expect(
      try Report(dump, trust: TrustMaterial(testCountry: country, provesAuthenticity: true)).outcome == .genuine)
  }
}
