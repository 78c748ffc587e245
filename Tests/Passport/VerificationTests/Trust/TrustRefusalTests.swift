import Foundation
import PassportTestSupport
import TesseraArchive
import TesseraCryptography
import TesseraThreads
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraVerification

/// Files that must not be imported, into an empty store and into one with other certificates.
@Suite struct TrustRefusalTests {
  private static func folders() throws -> [TrustFolder] {
    let (empty, filled) = (try TrustFolder(), try TrustFolder())
    let other = try TestAuthority("FR")
    try filled.add(other.certificate.der, name: "FR.cer")
    try filled.add(try other.revocationList(), name: "FR.crl")
    return [empty, filled]
  }

  private static func reason(_ error: (any Error)?) -> String? {
    guard case TrustError.listDamaged(let reason)? = error else { return nil }
    return reason
  }

  @Test func rootOfAnotherCountry() throws {
    let root = try TestAuthority("FR").certificate
    for folder in try Self.folders() {
      let error = folder.refusal(PublishedFiles.masterList, roots: [root])
      guard case TrustError.signerNotTrusted(let signer, let authority, _, true)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(signer.contains("CSCA Master List Signer") && authority?.contains("csca-germany") ?? false)
    }
  }

  @Test func noRoot() throws {
    for folder in try Self.folders() {
      let error = try #require(folder.refusal(PublishedFiles.masterList) as? TrustError)
      #expect(error.failure.kind == .usage)
      #expect(
        error.failure.cause.contains("2084aed7a991b3158e63ad750d3dc38bc6c9dcf5958f28d1162f49884e91ada8"))
    }
  }

  /// The classification of an accepted list is not repeated here, so that this takes seconds.
  private static func isRefused(_ bytes: [UInt8], root: Certificate) -> Bool {
    var trust = TrustImport(to: TrustMaterial(), roots: [root])
    guard let content = try? TrustFileContent(bytes, name: "file") else { return true }
    return (try? trust.add(content)) == nil && trust.material.isEmpty
  }

  @Test func oneByteChanged() throws {
    let root = try Certificate(der: PublishedFiles.root)
    var generator = SeededGenerator(seed: 13)
    let changes = (0..<100).map { _ in
      (
        Int.random(in: 0..<PublishedFiles.masterList.count, using: &generator),
        UInt8.random(in: 1...255, using: &generator)
      )
    }
    let accepted = changes.concurrentMap { place, change in
      var bytes = PublishedFiles.masterList
      bytes[place] ^= change
      return Self.isRefused(bytes, root: root) ? nil : place
    }.compactMap { $0 }
    #expect(accepted == [])
  }

  @Test func truncated() throws {
    let root = try Certificate(der: PublishedFiles.root)
    var generator = SeededGenerator(seed: 14)
    let lengths = (0..<100).map { _ in Int.random(in: 0..<PublishedFiles.masterList.count, using: &generator) }
    let accepted = (lengths + [PublishedFiles.masterList.count - 1]).concurrentMap { length in
      Self.isRefused(Array(PublishedFiles.masterList.prefix(length)), root: root) ? nil : length
    }.compactMap { $0 }
    #expect(accepted == [])
  }

  /// No signature covers the certificates beside the signer's, the name and number by which the list names that one, and the
  /// names of algorithms in two places. A change there is refused or has no effect.
  @Test func everyByteOfASmallList() throws {
    let country = try TestAuthority()
    let other = try TestAuthority("FR", name: "Other")
    let list = try country.masterList([country.certificate, other.certificate])
    @Sendable func imported(_ list: [UInt8]) -> Set<[UInt8]>? {
      var trust = TrustImport(to: TrustMaterial(), roots: [country.certificate])
      guard let content = try? TrustFileContent(list, name: "file"), (try? trust.add(content)) != nil else {
        return nil
      }
      return Set(trust.material.countrySigners.map(\.fingerprint))
    }
    let unchanged = try #require(imported(list))
    let results = list.indices.concurrentMap { place in
      var bytes = list
      bytes[place] ^= 1 << UInt8(place % 8)
      return imported(bytes)
    }
    #expect(results.allSatisfy { $0 == nil || $0 == unchanged })
    #expect(results.count { $0 != nil } < 80)
    // Every byte of a certificate matters.
    let embedded = [country.certificate.der, try MasterList(list).signer.certificate.der]
    for certificate in embedded {
      let places = try #require(list.ranges(of: certificate).last)
      #expect(places.filter { results[$0] != nil } == [])
    }
  }

  @Test func stranger() throws {
    let country = try TestAuthority()
    // The same names and numbers, with another key.
    let stranger = try TestAuthority()
    for folder in try Self.folders() {
      for embedded in [[stranger.certificate], [country.certificate], []] {
        let list = try stranger.masterList([country.certificate, stranger.certificate], embedded: embedded)
        let error = folder.refusal(list, roots: [country.certificate])
        guard case TrustError.signerNotTrusted(_, _, _, rootsGiven: true)? = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test func purpose() throws {
    let country = try TestAuthority()
    let list = try country.masterList([country.certificate], by: country.signer(.documentSigner))
    for folder in try Self.folders() {
      #expect(
        Self.reason(folder.refusal(list, roots: [country.certificate]))
          == "Its signer has a certificate for another purpose.")
    }
  }

  @Test func validity() throws {
    let country = try TestAuthority()
    func at(_ day: Double) -> Date { TestAuthority.now.addingTimeInterval(day * TestAuthority.day) }
    let signer = try country.signer(days: -300..<(-100))
    func list(_ day: Double?, by signer: Issuer) throws -> [UInt8] {
      try country.masterList([country.certificate], by: signer, signedAt: day.map(at))
    }
    for folder in try Self.folders() {
      func reason(_ list: [UInt8]) -> String? { Self.reason(folder.refusal(list, roots: [country.certificate])) }
      #expect(reason(try list(-50, by: signer)) == "Its signer's certificate had expired.")
      #expect(reason(try list(nil, by: signer)) == "Its signer's certificate had expired.")
      #expect(reason(try list(-400, by: signer)) == "Its signer's certificate was not valid yet.")
      #expect(reason(try list(3, by: country.signer()))?.contains("in the future") ?? false)
      // The signer has expired since then; its list has not.
      #expect(try folder.add(try list(-200, by: signer), roots: [country.certificate]).added.count == 1)
    }
  }

  @Test func content() throws {
    let country = try TestAuthority()
    let signer = try country.signer()
    func signed(_ content: [UInt8], _ type: String = MasterListBuilder.contentType) throws -> [UInt8] {
      try SignedDataBuilder(contentType: type).sign(content, by: signer)
    }
    for folder in try Self.folders() {
      for content: [UInt8] in [
        [], [1, 2, 3], [0x30, 0x00], [0x30, 0x80], [0x30, 0x05, 0x02, 0x01, 0x00, 0x31, 0x01],
      ] {
        #expect(Self.reason(folder.refusal(try signed(content), roots: [country.certificate])) != nil, "\(content)")
      }
      #expect(folder.refusal(try signed([0x30, 0x05, 2, 1, 0, 0x31, 0], "1.2.3")) is TrustSourceError)
      // An entry that is no certificate is refused, and the others are not.
      let entries = [0x30, 0x00] + country.certificate.der
      let set = [0x31, 0x82, UInt8(entries.count >> 8), UInt8(entries.count & 0xFF)] + entries
      let length = set.count + 3
      let list = [0x30, 0x82, UInt8(length >> 8), UInt8(length & 0xFF), 2, 1, 0] + set
      let summary = try folder.add(try signed(list), roots: [country.certificate])
      #expect(summary.added.count == 1 && summary.refusals.map(\.subject) == ["entry 1 of the list"])
    }
  }

  @Test func otherFiles() throws {
    // A thousand to one.
    let bomb = try ZipArchive.write([ZipEntry(name: "0.ml", bytes: [UInt8](repeating: 0, count: 257 << 20))])
    #expect(bomb.count < 1 << 20)
    let page = Array("<!DOCTYPE html><html><body>Moved</body></html>".utf8)
    for folder in try Self.folders() {
      #expect((folder.refusal([]) as? TrustSourceError)?.problem == .empty)
      #expect((folder.refusal(page) as? TrustSourceError)?.problem == .webPage)
      #expect(folder.refusal([UInt8](repeating: 0, count: 64 << 20)) is TrustSourceError)
      #expect(folder.refusal(bomb) is TrustSourceError)
    }
  }

  @Test func certificates() throws {
    let country = try TestAuthority()
    for folder in try Self.folders() {
      var changed = country.certificate.der
      changed[changed.count - 1] ^= 1
      guard case TrustError.refused(_, "Its signature is wrong.")? = folder.refusal(changed) else {
        Issue.record("a wrong signature was accepted")
        continue
      }
    }
  }
}
