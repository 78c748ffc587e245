import Foundation
import PassportTestSupport
import TesseraCore
import TesseraCryptography
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet

@Suite("What may be published as country certificates") struct FleetTrustDraftTests {
  private static let limits = TrustBucketLimits()

  /// The store after each publication: the manifest and all of its files.
  private struct Store {
    var manifest = TrustManifest()
    var files: [TrustFileBytes] = []

    mutating func publish(_ name: String, _ bytes: [UInt8], roots: [Certificate] = []) throws {
      try publish([TrustFileBytes(name: name, bytes: bytes)], TrustVerification.Roots(roots))
    }

    mutating func publish(_ new: [TrustFileBytes], _ roots: TrustVerification.Roots) throws {
      let next = try TrustDraft(manifest: manifest, files: files).adding(new, roots, limits)
      let all = Dictionary((files + new).map { ($0.name, $0) }) { $1 }
      manifest = next.manifest
      files = next.manifest.sources.compactMap { all[$0.name] }
    }

    /// What an inspector without certificates of its own makes of it.
    func material() throws -> TrustMaterial {
      try TrustVerification.material(of: files, TrustVerification.Roots(manifest))
    }

    var names: [String] { manifest.sources.map(\.name) }
  }

  private static func time(_ days: Double) -> Date { TestAuthority.now.addingTimeInterval(days * TestAuthority.day) }

  @Test("A list with its root is published, and an inspector accepts it from nothing") func listWithRoot() throws {
    let authority = try TestAuthority("UT")
    let other = try TestAuthority("FR")
    let list = try authority.masterList([authority.certificate, other.certificate])
    var store = Store()
    try store.publish("UT.ml", list, roots: [authority.certificate])
    #expect(store.names == ["UT.ml"] && store.manifest.roots.map(\.file) == [nil])
    #expect(
      try Set(store.material().countrySigners.map(\.fingerprint))
        == [authority.certificate.fingerprint, other.certificate.fingerprint])
    let source = store.manifest.sources[0]
    #expect(source.size == list.count && source.parts.count == 1 && source.parts == [source.sha256])
  }

  @Test("A list that leads to nothing is refused as in a local import") func listWithoutRoot() throws {
    let authority = try TestAuthority("UT")
    var store = Store()
    let error = #expect(throws: TrustError.self) {
      try store.publish("UT.ml", authority.masterList([authority.certificate]))
    }
    guard case .signerNotTrusted(_, _, _, rootsGiven: false)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: TrustError.self) {
      try store.publish(
        "UT.ml", authority.masterList([authority.certificate]), roots: [TestAuthority("FR").certificate])
    }
    #expect(store.names == [])
  }

  @Test("A root named by its fingerprint counts for inspectors, too") func fingerprint() throws {
    let authority = try TestAuthority("UT")
    var store = Store()
    let list = TrustFileBytes(name: "UT.ml", bytes: try authority.masterList([authority.certificate]))
    try store.publish([list], TrustVerification.Roots(fingerprints: [authority.certificate.fingerprint]))
    #expect(store.manifest.roots == [] && store.manifest.rootFingerprints.count == 1)
    #expect(try store.material().countrySigners.map(\.certificate) == [authority.certificate])
  }

  @Test("A certificate that the administrator names as a file is a root while the file is there")
  func vouchedCertificate() throws {
    let authority = try TestAuthority("UT")
    var store = Store()
    try store.publish("UT.cer", authority.certificate.der)
    #expect(store.manifest.roots.map(\.file) == ["UT.cer"])
    // It makes its country's lists acceptable.
    let second = try TestAuthority("UT", name: "CSCA 2")
    try store.publish("UT.ml", authority.masterList([authority.certificate, second.certificate]))
    #expect(try store.material().countrySigners.count == 2)
    // With a named root, no certificate is accepted because of its file.
    #expect(throws: TrustError.self) {
      try store.publish("FR.cer", TestAuthority("FR").certificate.der, roots: [authority.certificate])
    }
    // Another file of this name takes the word back. The list has lost what it leads to.
    let replaced = #expect(throws: TrustBucketError.self) {
      try store.publish("UT.cer", TestAuthority("IT").certificate.der)
    }
    #expect(replaced?.code == "refused")
    var alone = Store()
    try alone.publish("UT.cer", authority.certificate.der)
    try alone.publish("UT.cer", second.certificate.der)
    #expect(alone.manifest.roots.map(\.certificate.bytes) == [second.certificate.der])
    #expect(try alone.material().countrySigners.map(\.certificate) == [second.certificate])
  }

  @Test("A file in the bucket is not trusted because it is there") func noRootNoTrust() throws {
    let authority = try TestAuthority("UT")
    let file = TrustFileBytes(name: "UT.cer", bytes: authority.certificate.der)
    let error = #expect(throws: TrustBucketError.self) {
      try TrustVerification.material(of: [file], TrustVerification.Roots())
    }
    #expect(error?.code == "refused")
  }

  @Test("A newer list takes the place of the older one, which cannot come back") func newerList() throws {
    let authority = try TestAuthority("UT")
    let removed = try TestAuthority("IT")
    let old = try authority.masterList([authority.certificate, removed.certificate], signedAt: Self.time(-2))
    let new = try authority.masterList([authority.certificate], signedAt: Self.time(-1))
    var store = Store()
    try store.publish("2025.ml", old, roots: [authority.certificate])
    try store.publish("2026.ml", new)
    #expect(store.names == ["2026.ml"])
    #expect(try store.material().countrySigners.map(\.certificate) == [authority.certificate])
    let error = #expect(throws: TrustError.self) { try store.publish("2025.ml", old) }
    guard case .olderList? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("An older list stays if the newer one is verified through it") func neededList() throws {
    let former = try TestAuthority("UT", name: "CSCA 1")
    let present = try TestAuthority("UT", name: "CSCA 2")
    let link = try TestAuthority("UT", name: "CSCA 2", serialNumber: 3, key: present.issuer.key, by: former)
    var store = Store()
    try store.publish(
      "1.ml", former.masterList([former.certificate, link.certificate], signedAt: Self.time(-2)),
      roots: [former.certificate])
    // Neither the former certificate nor the link is in the second list.
    try store.publish("2.ml", present.masterList([present.certificate], signedAt: Self.time(-1)))
    #expect(store.names == ["1.ml", "2.ml"])
    #expect(try store.material().countrySigners.map(\.certificate) == [present.certificate])
  }

  @Test("A changed byte in the content or the signature of a list is refused, and nothing changes")
  func changedByte() throws {
    let authority = try TestAuthority("UT")
    let list = try authority.masterList([authority.certificate])
    let content = try SignedData(list).content
    let start = try #require(list.indices.first { list[$0...].starts(with: content) })
    // The signature is at the end.
    for place in Array(stride(from: start, to: start + content.count, by: 97)) + [list.count - 40, list.count - 1] {
      var changed = list
      changed[place] ^= 0x40
      var store = Store()
      #expect(throws: (any Error).self, "\(place)") {
        try store.publish("UT.ml", changed, roots: [authority.certificate])
      }
      #expect(store.names == [])
    }
  }

  @Test("Empty files, no file, and two files of one name are refused") func unusableFiles() throws {
    let certificate = try TestAuthority("UT").certificate
    let file = TrustFileBytes(name: "UT.cer", bytes: certificate.der)
    for files in [[], [TrustFileBytes(name: "a", bytes: [])], [file, file]] {
      var store = Store()
      #expect(throws: TrustError.self) { try store.publish(files, TrustVerification.Roots()) }
    }
    #expect(throws: TrustBucketError.tooLarge) {
      var limits = TrustBucketLimits()
      limits.totalSize = certificate.der.count - 1
      _ = try TrustDraft(manifest: TrustManifest(), files: []).adding([file], TrustVerification.Roots(), limits)
    }
    var store = Store()
    #expect(throws: TrustBucketError.malformed) {
      try store.publish(String(repeating: "n", count: 257), certificate.der)
    }
  }

  // MARK: - Rollback at an inspector

  private static func material(_ authority: TestAuthority, _ files: [[UInt8]]) throws -> TrustMaterial {
    try TrustVerification.material(
      of: files.enumerated().map { TrustFileBytes(name: "\($0)", bytes: $1) },
      TrustVerification.Roots([authority.certificate]))
  }

  @Test("An inspector refuses an older list, and an older or missing revocation list") func rollback() throws {
    let authority = try TestAuthority("UT")
    func list(_ days: Double) throws -> [UInt8] {
      try authority.masterList([authority.certificate], signedAt: Self.time(days))
    }
    let revocations = try [1, 2].map { try authority.revocationList(number: $0, days: Double($0) - 10..<90) }
    let old = try Self.material(authority, [list(-2), revocations[1]])
    try TrustVerification.checkRollback(from: old, to: Self.material(authority, [list(-2), revocations[1]]))
    try TrustVerification.checkRollback(from: old, to: Self.material(authority, [list(-1), revocations[1]]))
    #expect(throws: TrustBucketError.olderList(signer: "CN=Signer 7,O=Tessera test,C=UT")) {
      try TrustVerification.checkRollback(from: old, to: Self.material(authority, [list(-3), revocations[1]]))
    }
    for files in try [[list(-2)], [list(-2), revocations[0]]] {
      let new = try Self.material(authority, files)
      #expect(throws: TrustBucketError.olderRevocationList(issuer: authority.certificate.subject)) {
        try TrustVerification.checkRollback(from: old, to: new)
      }
      // In the other direction it is an update.
      try TrustVerification.checkRollback(from: new, to: old)
    }
    // Without the country its revocation list is not missed.
    let other = try TestAuthority("FR")
    try TrustVerification.checkRollback(
      from: old, to: Self.material(other, [other.masterList([other.certificate])]))
  }
}
