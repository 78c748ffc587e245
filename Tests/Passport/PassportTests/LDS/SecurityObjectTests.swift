import PassportTestSupport
import TesseraCryptography
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("EF.SOD")
struct SecurityObjectTests {
  @Test(
    "accepts the object identifiers that issuers use for its content",
    arguments: ["2.23.136.1.1.1", "1.3.27.1.1.1", "1.2.528.1.1006.1.20.1", "2.23.136.1.1.2", "1.2.840.113549.1.7.1"])
  func contentType(_ identifier: String) throws {
    let object = LDSSecurityObject(hashAlgorithm: .sha256, digests: [1: [UInt8](repeating: 1, count: 32)])
    let signer = try TestAuthority().signer(.documentSigner)
    let content = try SignedDataBuilder(contentType: identifier).sign(object.encoded(), by: signer)
    let isAccepted = (try? EFSOD(EFSOD.encode(contentInfo: content)))?.securityObject == object
    #expect(isAccepted == (identifier != "2.23.136.1.1.2"))
  }
}
