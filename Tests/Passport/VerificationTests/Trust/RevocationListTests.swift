import Foundation
import PassportTestSupport
import TesseraCryptography
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraVerification

/// Revocation lists in the trust store.
@Suite struct TrustRevocationListTests {
  fileprivate static func reason(_ error: (any Error)?) -> String? {
    guard case TrustError.refused(_, let reason)? = error else { return nil }
    return reason
  }

  private static func folder(_ country: TestAuthority) throws -> TrustFolder {
    let folder = try TrustFolder()
    try folder.add(country.certificate.der, name: "UT.cer")
    return folder
  }

  @Test func good() throws {
    let country = try TestAuthority()
    let folder = try Self.folder(country)
    let summary = try folder.add(try country.revocationList(), name: "UT.crl")
    #expect(summary.revocationLists == 1 && summary.refusals.isEmpty && summary.added.isEmpty)
    let entry = try #require(try folder.store.load().revocationLists.first)
    #expect(entry.sources.map(\.name) == ["UT.crl"] && entry.list.country == "UT" && entry.list.count == 1)
    let assessment = CertificateAssessment(entry.list, trust: try folder.store.load())
    #expect(assessment.isTrusted && !assessment.detail.contains("stale"))
  }

  @Test func refused() throws {
    let country = try TestAuthority()
    let folder = try Self.folder(country)
    let stranger = try TestAuthority("FR")
    let unknown = TrustError.issuerUnknown(.revocationList, subject: stranger.certificate.subject, fingerprint: nil)
    #expect(folder.refusal(try stranger.revocationList()) as? TrustError == unknown)
    // The same name with another key.
    let impostor = try TestAuthority()
    let unknownKey = TrustError.issuerUnknown(
      .revocationList, subject: impostor.certificate.subject, fingerprint: nil)
    #expect(folder.refusal(try impostor.revocationList()) as? TrustError == unknownKey)
    let bytes = try country.revocationList()
    var changed = bytes
    changed[changed.count - 1] ^= 1
    #expect(Self.reason(folder.refusal(changed)) == "Its signature is wrong.")
    let accepted = bytes.indices.filter { place in
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)
      guard let content = try? TrustFileContent(changed, name: "file"),
        let list = content.revocationLists.first, let material = try? folder.store.load()
      else { return false }
      return CertificateAssessment(list, trust: material).isTrusted
    }
    #expect(accepted == [])
  }

  @Test("says why a list of a known issuer cannot be verified")
  func obstacles() throws {
    var document = MadeDocument(countryKey: try .generate(), signerKey: try .generate())
    func reasons(_ list: [UInt8]) throws -> [String] {
      var trust = TrustImport(to: TrustMaterial(), trustsFiles: true, at: document.date)
      let objects = [TrustObject.certificate(try document.country.der()), .revocationList(list)]
      return try trust.add(TrustFileContent(name: "made", objects: objects)).refusals.map(\.reason)
    }
    let list = BrokenMeaning.MadeList(document)
    #expect(try reasons(list.der()).isEmpty)
    // Both fields name an algorithm that nobody knows.
    var unknown = try list.der()
    let known: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    for start in unknown.indices where unknown[start...].starts(with: known) { unknown[start + 7] = 0x7E }
    let reason = try #require(try reasons(unknown).first)
    #expect(reason.hasPrefix("Its signature cannot be verified") && reason.contains("1.2.840.10045.4.3.126"))
    // The key is for certificates only.
    document.country.extensions[0].value = .primitive(0x03, [2, 0x04])
    #expect(try reasons(list.der()) == ["The key of its issuer may not sign revocation lists."])
  }

  /// The list of a country that changed its name. No certificate has the new one, and the list states no key, or another
  /// one than that which signed it.
  @Test("a list is that of the key that signed it, whatever it states")
  func issuers() throws {
    let document = MadeDocument(countryKey: try .generate(), signerKey: try .generate())
    func report(_ lists: BrokenMeaning.MadeList..., others: [TrustObject] = []) throws -> Report {
      var copy = document
      copy.published = { _ in try others + lists.map { .revocationList(try $0.der()) } }
      return try copy.report()
    }
    var list = BrokenMeaning.MadeList(document)
    list.issuer.commonName = "CSCA Utopia 2"
    let revoked = try report(list)
    let reason = try #require(revoked[.passiveRevocation])
    #expect(reason.status == .failed && !reason.detail.contains("leads from"))
    #expect(revoked.outcomeReason == .signerRevoked)
    var later = list
    (later.revoked, later.time, later.issuer.commonName) = ([[8]], "251101000000Z", "CSCA Utopia 3")
    for lists in [[list, later], [later, list]] {
      let current = try report(lists[0], lists[1])
      #expect(current.outcome == .genuine && current[.passiveRevocation]?.status == .passed)
    }
    // The next key signs, and the list still states the former one.
    let key = try SigningKey.generate()
    var next = document.country
    (next.key, next.signedBy, next.serialNumber) = (key, key, [2])
    (next.subject.commonName, next.issuer.commonName) = ("CSCA Utopia 4", "CSCA Utopia 4")
    next.extensions.removeAll { $0.identifier == MadeDocument.subjectKey }
    var wrong = BrokenMeaning.MadeList(document)
    wrong.key = key
    let former = Piece.sequence(.primitive(0x80, MadeDocument.keyIdentifier(document.countryKey)))
    wrong.extensions = [.init(identifier: MadeDocument.authorityKey, value: former)]
    #expect(try report(wrong).outcome == .genuine)
    #expect(try report(wrong, others: [.certificate(next.der())]).outcomeReason == .signerRevoked)
  }

  @Test func stale() throws {
    let country = try TestAuthority()
    let folder = try Self.folder(country)
    try folder.add(try country.revocationList(days: -100..<(-10)))
    let material = try folder.store.load()
    let assessment = CertificateAssessment(try #require(material.revocationLists.first).list, trust: material)
    #expect(assessment.isTrusted && assessment.detail.contains("It is stale"))
  }

  @Test func order() throws {
    let country = try TestAuthority()
    let folder = try Self.folder(country)
    func counts() throws -> [Int] { try folder.store.load().revocationLists.map(\.list.count) }
    let older = try country.revocationList([1], number: 1, days: -20..<70)
    let newer = try country.revocationList([1, 2], number: 2, days: -10..<80)
    try folder.add(older, name: "older")
    #expect(try counts() == [1])
    #expect(try folder.add(newer, name: "newer").revocationLists == 1)
    #expect(try counts() == [2])
    try folder.add(older, name: "older")
    #expect(try counts() == [2])
    // The same list from another file: each file gives it.
    try folder.add(newer, name: "again")
    #expect(try folder.store.load().revocationLists.map { $0.sources.map(\.name) } == [["newer", "again"]])
    // In one file, in either order.
    for lists in [[older, newer], [newer, older]] {
      let other = try Self.folder(country)
      let text = lists.map { PublishedFiles.block("X509 CRL", $0) }.joined()
      try other.add(Array(text.utf8))
      #expect(try other.store.load().revocationLists.map(\.list.count) == [2])
    }
  }

  @Test func huge() throws {
    let country = try TestAuthority()
    let folder = try Self.folder(country)
    try folder.add(try country.revocationList((1...100_000).map { $0 * 3 }))
    let list = try #require(try folder.store.load().revocationLists.first).list
    #expect(list.count == 100_000)
    func isRevoked(_ number: UInt32) throws -> Bool {
      let octets = withUnsafeBytes(of: number.bigEndian) { Array($0.drop { $0 == 0 }) }
      return try list.revocationDate(ofSerialNumber: octets[...]) != nil
    }
    #expect(try isRevoked(3) && isRevoked(150_000) && isRevoked(300_000))
    #expect(try !isRevoked(4) && !isRevoked(300_003))
  }
}

extension RealPrograms {
  /// Revocation lists that OpenSSL writes.
  @Suite struct ForeignRevocationListTests {
    @Test func criticalExtension() async throws {
      let files = try await OpenSSLFiles(extensions: "1.2.3.4=critical,ASN1:NULL")
      let folder = try TrustFolder()
      try folder.add(files.certificate)
      let reason = try #require(TrustRevocationListTests.reason(folder.refusal(files.list)))
      #expect(reason.contains("the critical extension 1.2.3.4, which is not supported"))
    }

    /// OpenSSL writes a list that covers only a part of the certificates, or only the changes since another list. It
    /// revokes, and says of no certificate that it is not revoked.
    @Test(arguments: [
      ("2.5.29.27=critical,ASN1:INTEGER:1", false), ("2.5.29.27=ASN1:INTEGER:1", false),
      ("issuingDistributionPoint=critical,@idp\n[idp]\nonlyuser=TRUE", false),
      ("issuingDistributionPoint=@idp\n[idp]\nonlysomereasons=keyCompromise", false),
      ("issuingDistributionPoint=critical,@idp\n[idp]\nfullname=URI:http://x.example/l.crl", true),
    ])
    func partition(_ extensions: String, _ isComplete: Bool) async throws {
      let files = try await OpenSSLFiles(extensions: extensions)
      let folder = try TrustFolder()
      try folder.add(files.certificate)
      try folder.add(files.list)
      #expect(try folder.store.load().revocationLists.map(\.list.isComplete) == [isComplete])
    }

    private struct OpenSSLFiles {
      let certificate: [UInt8]
      let list: [UInt8]

      init(extensions: String) async throws {
        let folder = try TemporaryFolder()
        let configuration = """
          [ca]
          default_ca=d
          [d]
          database=index.txt
          default_md=sha256
          default_crl_days=9
          crl_extensions=e
          [e]
          authorityKeyIdentifier=keyid
          \(extensions)

          """
        try configuration.write(toFile: folder.file("ca.conf"), atomically: true, encoding: .utf8)
        let script = """
          set -e
          cd "$1"
          touch index.txt
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out root.pem -days 9 \
            -subj '/C=UT/CN=Test Country'
          openssl x509 -in root.pem -outform DER -out root.cer
          openssl ca -config ca.conf -gencrl -cert root.pem -keyfile key.pem | openssl crl -outform DER -out list.crl
          """
        let run = try await RunningProgram(
          URL(fileURLWithPath: "/bin/sh"), ["-c", script, "sh", folder.url.path]
        ).finish()
        try #require(run.status == 0, "\(run.errors)")
        (certificate, list) = (folder.bytes("root.cer"), folder.bytes("list.crl"))
      }
    }
  }
}
