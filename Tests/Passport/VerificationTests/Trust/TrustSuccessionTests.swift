import Foundation
import PassportTestSupport
import TesseraCryptography
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraVerification

/// A newer list in the place of an older one, and the ways from the signer of a list to a root.
@Suite struct TrustSuccessionTests {
  private static func names(_ signers: [CountrySigner]) -> [String] {
    signers.compactMap { $0.certificate.subject.split(separator: ",").first.map(String.init) }.sorted()
  }

  @Test func newerList() throws {
    let folder = try TrustFolder()
    let country = try TestAuthority()
    let (kept, dropped, new, shared) = (
      try TestAuthority("FR", name: "Kept"), try TestAuthority("FR", name: "Dropped"),
      try TestAuthority("IT", name: "New"), try TestAuthority("IT", name: "Shared")
    )
    let signedAt = TestAuthority.now.addingTimeInterval(-5 * TestAuthority.day)
    let older = try country.masterList(
      [country, kept, dropped, shared].map(\.certificate), signedAt: signedAt)
    let first = try folder.add(older, name: "older.ml", roots: [country.certificate])
    #expect(first.added.count == 4 && first.removed.isEmpty && first.countries == 3)
    try folder.add(shared.certificate.der, name: "shared.cer")
    #expect(try folder.store.load().count == 4)

    let newer = try country.masterList([country, kept, new].map(\.certificate), signedAt: TestAuthority.now)
    let second = try folder.add(newer, name: "newer.ml")
    #expect(Self.names(second.added) == ["CN=New"] && Self.names(second.removed) == ["CN=Dropped"])
    let material = try folder.store.load()
    #expect(Self.names(material.countrySigners) == ["CN=CSCA", "CN=Kept", "CN=New", "CN=Shared"])
    for signer in material.countrySigners {
      let isShared = signer.certificate == shared.certificate
      #expect(signer.sources.map(\.name) == [isShared ? "shared.cer" : "newer.ml"])
      let source = try #require(signer.sources.first)
      #expect(source.signer?.contains("CN=Signer 7") == (isShared ? nil : true))
      #expect(source.signerCountry == (isShared ? nil : "UT"))
      #expect(source.signedAt == (isShared ? nil : TestAuthority.now))
      #expect(abs(source.importedAt.timeIntervalSinceNow) < 600)
    }
  }

  /// The same list again changes nothing but the source.
  @Test func sameListTwice() throws {
    let folder = try TrustFolder()
    let country = try TestAuthority()
    let list = try country.masterList([country.certificate])
    try folder.add(list, name: "first.ml", roots: [country.certificate])
    let summary = try folder.add(list, name: "second.ml")
    #expect(summary.added.isEmpty && summary.removed.isEmpty)
    #expect(try folder.store.load().countrySigners.map { $0.sources.map(\.name) } == [["second.ml"]])
  }

  /// A collection can have several lists of a country, in any order.
  @Test func listsOfOneCountry() throws {
    let country = try TestAuthority()
    let lists = try (1...3).map { count in
      try country.masterList(
        [country.certificate] + (0..<count).map { try TestAuthority("FR", name: "\($0)").certificate },
        signedAt: TestAuthority.now.addingTimeInterval(Double(count - 10) * TestAuthority.day))
    }
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let folder = try TrustFolder()
      let text = order.map { PublishedFiles.block("CMS", lists[$0]) }.joined()
      let summary = try folder.add(Array(text.utf8), roots: [country.certificate])
      #expect(try folder.store.load().countrySigners.count == 4 && summary.added.count == 4)
    }
  }

  /// The list carries a certificate that nobody needs, and whose issuer is not known.
  @Test func otherEmbeddedCertificate() throws {
    let country = try TestAuthority()
    let orphan = try TestAuthority("FR", by: TestAuthority("FR", name: "Other"))
    let list = try country.masterList(
      [country.certificate], embedded: [country.certificate, orphan.certificate])
    let folder = try TrustFolder()
    try folder.add(list, roots: [country.certificate])
    #expect(try folder.store.load().countrySigners.map(\.certificate) == [country.certificate])
  }

  @Test func listsOfTwoCountries() throws {
    let folder = try TrustFolder()
    let (first, second) = (try TestAuthority("UT"), try TestAuthority("FR"))
    let both = [first.certificate, second.certificate]
    try folder.add(try first.masterList(both), name: "UT.ml", roots: [first.certificate])
    // The signer leads to a certificate of the first list, so this needs no root.
    try folder.add(try second.masterList([second.certificate]), name: "FR.ml")
    let removed = try folder.add(try first.masterList([first.certificate]), name: "UT2.ml").removed
    #expect(removed.isEmpty)
    let sources = try folder.store.load().countrySigners.map { $0.sources.map(\.name) }
    #expect(Set(sources) == [["UT2.ml"], ["FR.ml"]])
  }

  @Test func fingerprint() throws {
    let country = try TestAuthority()
    let list = try country.masterList([country.certificate])
    let fingerprint = try HashAlgorithm.sha256.digest(of: country.certificate.der)
    let folder = try TrustFolder()
    #expect(throws: TrustError.self) { try folder.add(list, fingerprints: [fingerprint.reversed()]) }
    #expect(try folder.add(list, fingerprints: [fingerprint]).added.count == 1)
    // The list need not embed the certificate if it lists it.
    let bare = try TrustFolder()
    #expect(
      try bare.add(country.masterList([country.certificate], embedded: []), fingerprints: [fingerprint]).added.count
        == 1)
  }

  /// The list has the way from its signer to a root that was replaced twice.
  @Test func formerRoot() throws {
    let root = try TestAuthority(name: "CSCA 1")
    let second = try TestAuthority(name: "CSCA 2", serialNumber: 2)
    let firstLink = try TestAuthority(name: "CSCA 2", serialNumber: 3, key: second.issuer.key, by: root)
    let third = try TestAuthority(name: "CSCA 3", serialNumber: 4)
    let secondLink = try TestAuthority(name: "CSCA 3", serialNumber: 5, key: third.issuer.key, by: second)
    let all = [second, firstLink, third, secondLink].map(\.certificate)
    let list = try third.masterList(all)
    let folder = try TrustFolder()
    let summary = try folder.add(list, roots: [root.certificate])
    #expect(summary.selfSigned == 2 && summary.linked == 1 && summary.endorsed == 1)
    let material = try folder.store.load()
    let link = try #require(material.countrySigners.first { $0.certificate == secondLink.certificate })
    // Both other certificates of the second key verify the link. Their order in the list is that of their bytes.
    let path = material.path(from: link).map(\.certificate)
    #expect(path.count == 2 && path.first == secondLink.certificate)
    #expect(path.last?.publicKeyInfo == second.certificate.publicKeyInfo)
    // Without the first link, nothing leads there.
    let gap = try third.masterList([second, third, secondLink].map(\.certificate))
    #expect(throws: TrustError.self) { try TrustFolder().add(gap, roots: [root.certificate]) }
    // With the root in the list, the first link is verified, too.
    let whole = try third.masterList(all + [root.certificate])
    let complete = try TrustFolder().add(whole, roots: [root.certificate])
    #expect(complete.selfSigned == 3 && complete.linked == 2 && complete.endorsed == 0)
  }

  /// Two certificates that sign one another, and no self-signed one.
  @Test func loop() throws {
    let (first, second) = (try TestAuthority(name: "A"), try TestAuthority(name: "B", serialNumber: 2))
    let firstLink = try TestAuthority(name: "A", serialNumber: 3, key: first.issuer.key, by: second)
    let secondLink = try TestAuthority(name: "B", serialNumber: 4, key: second.issuer.key, by: first)
    let certificates = [firstLink, secondLink].map(\.certificate)
    let list = try firstLink.masterList(certificates)
    let stranger = try TestAuthority("FR").certificate
    #expect(throws: TrustError.self) { try TrustFolder().add(list, roots: [stranger]) }
    let folder = try TrustFolder()
    #expect(try folder.add(list, roots: [secondLink.certificate]).linked == 2)
    let material = try folder.store.load()
    for signer in material.countrySigners { #expect(material.path(from: signer).count == 2) }
    let document = try firstLink.signer(.documentSigner).certificate
    #expect(CertificateAssessment(document, trust: material).isTrusted)
  }

  /// Thousands of certificates with the same name and key identifier do not keep a program busy before the list is
  /// trusted.
  @Test(.timeLimit(.minutes(10))) func manyCandidates() throws {
    let country = try TestAuthority()
    let copies = try (2..<600).map { number in
      try TestAuthority(serialNumber: number, key: country.issuer.key).certificate
    }
    let list = try country.masterList(copies)
    let start = Self.processorSeconds
    #expect(throws: TrustError.self) { try TrustFolder().add(list, roots: [TestAuthority("FR").certificate]) }
    #expect(Self.processorSeconds - start < 20)
  }

  /// The processor time of this thread.
  private static var processorSeconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }
}
