import Foundation
import PassportTestSupport
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet

@Suite("The certificates of an inspector's machine") struct LocalTrustTests {
  @Test("The certificates of this machine are read again after each change") func localStore() async throws {
    let folder = try TemporaryFolder()
    let store = TrustStore(folder: folder.file("trust"))
    let trust = FleetTrust.local(store)
    #expect(try await trust.current().material.isEmpty)
    for code in ["UT", "FR"] {
      let authority = try TestAuthority(code)
      try store.update { material in
        var trust = TrustImport(to: material)
        _ = try trust.add(TrustFileContent(authority.certificate.der, name: code))
        material = trust.material
      }
      #expect(try await trust.current().material.countries.contains(code))
    }
    #expect(try await trust.current().version == nil && trust.figures == TrustFigures())
    try Data("damage".utf8).write(to: folder.url.appendingPathComponent("trust/certificates"))
    await #expect(throws: TrustError.storeDamaged(path: folder.file("trust/certificates"))) {
      try await trust.current()
    }
    let fixed = FleetTrust.fixed(TrustMaterial())
    #expect(try await fixed.current().material.isEmpty)
  }
}
