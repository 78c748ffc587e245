import Foundation
import PassportTestSupport
import TestSupport
import Testing

@testable import TesseraVerification

@Suite("Who can change the store of country certificates")
struct StoreOwnershipTests {
  @Test("a store that others can write to is refused, and read again when they cannot")
  func modes() throws {
    let folder = try TrustFolder()
    let country = try TestAuthority()
    try folder.add(country.certificate.der, name: "country.cer")
    let path = folder.store.folder
    for (name, mode, usual) in [("", 0o777, 0o700), ("/certificates", 0o666, 0o600)] {
      chmod(path + name, mode_t(mode))
      #expect(throws: TrustError.self) { try folder.store.load() }
      #expect(throws: TrustError.self) { try folder.store.update { _ in } }
      chmod(path + name, mode_t(usual))
      #expect(try folder.store.load().count == 1)
    }
  }
}
