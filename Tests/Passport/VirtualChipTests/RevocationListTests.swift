import Foundation
import TestSupport
import Testing

@testable import TesseraVirtualChip

extension RealPrograms {
  @Suite("Certificate revocation lists of a test country")
  struct RevocationListTests {
    @Test("a CRL has its number, its times and its entries in OpenSSL's words")
    func content() async throws {
      let folder = try IssuedFolder(.bac)
      let issuer = folder.document.country.authority.issuer
      let start = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01
      let list = try RevocationListBuilder(
        number: 0x1234, thisUpdate: start, nextUpdate: start.addingTimeInterval(86_400),
        revoked: [(0xAB_CDEF, start), (0x11, start.addingTimeInterval(-3600))]
      ).issue(by: issuer)
      try folder.write(list, "other.der")
      let text = try await folder.run(
        "openssl crl -inform DER -in other.der -CAfile issuer.pem -noout -text -nameopt RFC2253")
      for words in [
        "verify OK", "4660", "Last Update: Jan  1 00:00:00 2026 GMT", "Next Update: Jan  2 00:00:00 2026 GMT",
        "Serial Number: ABCDEF", "Serial Number: 11", "Revocation Date: Dec 31 23:00:00 2025 GMT",
        "CN=CSCA Utopia,O=Tessera specimen,C=UT",
      ] {
        #expect(text.contains(words), "\(words) in \(text)")
      }
      // One changed byte of the signed part.
      var changed = list
      changed[changed.count / 2] ^= 1
      try folder.write(changed, "changed.der")
      let failure = try await folder.run("openssl crl -inform DER -in changed.der -CAfile issuer.pem -noout || true")
      #expect(!failure.contains("verify OK"))
    }

    @Test("an empty CRL is valid")
    func empty() async throws {
      let folder = try IssuedFolder(.bac)
      let list = try RevocationListBuilder(number: 2, thisUpdate: .now, nextUpdate: .now.addingTimeInterval(60))
        .issue(by: folder.document.country.authority.issuer)
      try folder.write(list, "empty.der")
      let text = try await folder.run("openssl crl -inform DER -in empty.der -CAfile issuer.pem -noout -text")
      #expect(text.contains("verify OK") && text.contains("No Revoked Certificates"))
    }
  }
}
