import PassportTestSupport
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraVerification

/// What verification remembers never replaces a check of other bytes, and never replaces trust.
@Suite struct KeyCacheTests {
  @Test func signature() throws {
    let country = try TestAuthority()
    let stranger = try TestAuthority()
    let signer = try country.signer(.documentSigner).certificate
    let keys = KeyCache()
    for _ in 0..<2 {
      #expect(try keys.isSigned(signer, by: country.certificate))
      #expect(try !keys.isSigned(signer, by: stranger.certificate))
    }
    var changed = signer.der
    changed[changed.count - 1] ^= 1
    #expect(try !keys.isSigned(Certificate(der: changed), by: country.certificate))
  }

  /// Copies of a trust material share the cache. A country signer that is removed verifies nothing any more.
  @Test func removedCountrySigner() throws {
    let country = try TestAuthority()
    let signer = try country.signer(.documentSigner).certificate
    let trust = TrustMaterial(name: "test", countrySigners: [country.certificate])
    #expect(SignerTrace(signer, trust: trust, at: TestAuthority.now).path.count == 1)
    var other = trust
    other.remove(where: { _ in true })
    #expect(SignerTrace(signer, trust: other, at: TestAuthority.now).path.isEmpty)
    #expect(SignerTrace(signer, trust: trust, at: TestAuthority.now).path.count == 1)
  }

  /// More keys than the cache keeps give the same results.
  @Test func capacity() throws {
    let countries = try (0..<5).map { try TestAuthority(name: "CSCA \($0)") }
    let signers = try countries.map { try $0.signer(.documentSigner).certificate }
    let keys = KeyCache(capacity: 2)
    for (position, country) in countries.enumerated() {
      for (other, signer) in signers.enumerated() {
        #expect(try keys.isSigned(signer, by: country.certificate) == (other == position))
      }
    }
  }

  /// The texts of a certificate are kept, its role and its source are not. More than the cache keeps have the same texts.
  @Test func descriptions() throws {
    let certificates = try (0..<3).map { try TestAuthority(name: "CSCA \($0)").certificate }
    let keys = KeyCache(capacity: 2)
    for role in [Report.Certificate.Role.countrySigner, .link] {
      for (number, certificate) in certificates.enumerated() {
        let description = Report.Certificate(certificate, role, source: "file \(role)", keys: keys)
        #expect(description.role == role && description.source == "file \(role)")
        #expect(description.subject.contains("CN=CSCA \(number)"))
        #expect(description == Report.Certificate(certificate, role, source: "file \(role)", keys: KeyCache()))
      }
    }
  }
}
