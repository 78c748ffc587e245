import Foundation
import PassportTestSupport
import TesseraCryptography
import TesseraThreads
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraVerification

/// The file of the trust store.
@Suite struct TrustStoreTests {
  /// Certificates of every kind, and where they come from.
  private static func filled() throws -> TrustFolder {
    let folder = try TrustFolder()
    let country = try TestAuthority()
    let next = try TestAuthority(name: "CSCA 2", serialNumber: 2, by: country)
    let orphan = try TestAuthority("FR", by: TestAuthority("FR", name: "Other"))
    let certificates = [country, next, orphan].map(\.certificate)
    try folder.add(try country.masterList(certificates), name: "UT.ml", roots: [country.certificate])
    try folder.add(try country.signer(.documentSigner).certificate.der, name: "UT.cer")
    try folder.add(try country.revocationList(), name: "UT.crl")
    return folder
  }

  /// The error of loading the store.
  private static func problem(_ folder: TrustFolder) -> TrustError? {
    do {
      _ = try folder.store.load()
      return nil
    } catch {
      return error as? TrustError
    }
  }

  @Test func roundTrip() throws {
    let folder = try Self.filled()
    let material = try folder.store.load()
    #expect(Set(material.countrySigners.map(\.status.name)) == ["selfSigned", "linked", "endorsed"])
    #expect(material.documentSigners.count == 1 && material.revocationLists.count == 1)
    let decoded = try TrustFile.decode(TrustFile.encode(material))
    #expect(decoded.countrySigners == material.countrySigners)
    #expect(decoded.documentSigners == material.documentSigners)
    #expect(decoded.revocationLists == material.revocationLists)
    #expect(try folder.names == ["certificates"])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func failedUpdate() throws {
    let folder = try Self.filled()
    let before = folder.bytes
    #expect(throws: CancellationError.self) {
      try folder.store.update { material in
        material = TrustMaterial()
        throw CancellationError()
      }
    }
    #expect(folder.bytes == before)
  }

  @Test func damage() throws {
    let folder = try Self.filled()
    let bytes = try #require(folder.bytes)
    func expectDamage(_ changed: [UInt8], _ what: String) throws {
      try folder.write(changed)
      #expect(Self.problem(folder) == .storeDamaged(path: folder.path), "\(what)")
    }
    var generator = SeededGenerator(seed: 7)
    for place in Sweep.places(Sweep.isFull ? 200 : 60, in: 0..<bytes.count, using: &generator) {
      var changed = bytes
      changed[place] ^= UInt8.random(in: 1...255, using: &generator)
      try expectDamage(changed, "byte \(place)")
    }
    // The first bytes, with the version and the hash.
    for place in 0..<90 {
      // Another bit of each byte, by turns.
      for bit in Sweep.isFull ? 0..<8 : place % 8..<place % 8 + 1 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        try expectDamage(changed, "bit \(bit) of byte \(place)")
      }
    }
    for length in [0, 1, 15, 16, 80, 81, 82, 200, bytes.count - 1] {
      try expectDamage(Array(bytes.prefix(length)), "length \(length)")
    }
    try expectDamage(bytes + [0], "one more byte")
    // A damaged store is not overwritten.
    #expect(throws: TrustError.self) { try folder.add(TestAuthority("IT").certificate.der) }
    #expect(folder.bytes == bytes + [0])
    try folder.write(bytes)
    #expect(try folder.store.load().count == 5)
  }

  /// A file with a valid hash whose index is wrong, as another version or another program could write it.
  @Test(arguments: [
    #"{"sources":[],"entries":["countrySigner 9223372036854775807 0 selfSigned"]}"#,
    #"{"sources":[],"entries":["countrySigner -1 0 selfSigned"]}"#,
    #"{"sources":[],"entries":["countrySigner 1 0 selfSigned"]}"#,
    #"{"sources":[],"entries":["countrySigner 0 , linked 0"]}"#,
    #"{"sources":[],"entries":["other 0 ,"]}"#,
    #"{"sources":[],"entries":["documentSigner 1e300 ,"]}"#, "", "[]",
  ])
  func wrongIndex(_ index: String) throws {
    let folder = try Self.filled()
    let rest = Array(index.utf8) + Array("\n".utf8) + [0x30]
    let hash = try HashAlgorithm.sha256.digest(of: rest).hexadecimal.lowercased()
    try folder.write(Array("tessera trust 1\n\(hash)\n".utf8) + rest)
    #expect(Self.problem(folder) == .storeDamaged(path: folder.path))
  }

  @Test func removal() throws {
    let folder = try Self.filled()
    var material = try folder.store.load()
    #expect(throws: TrustError.notFound("the source none")) { try material.remove(source: "none") }
    #expect(try material.remove(source: "UT.crl") == 1 && material.revocationLists.isEmpty)
    #expect(try material.remove(source: "UT.ml") == 3 && material.isEmpty)
    #expect(material.documentSigners.count == 1)
  }

  @Test func assessments() throws {
    let country = try TestAuthority()
    let folder = try TrustFolder()
    func assess(_ certificate: Certificate) throws -> CertificateAssessment {
      CertificateAssessment(certificate, trust: try folder.store.load())
    }
    let signer = try country.signer(.documentSigner).certificate
    #expect(try assess(signer).detail.contains("No country certificates are known"))
    try folder.add(country.certificate.der, name: "UT.cer")
    let trusted = try assess(signer)
    #expect(trusted.isTrusted && trusted.path.map(\.certificate) == [country.certificate])
    #expect(trusted.detail.contains("It is valid until"))
    #expect(try assess(country.certificate).detail.contains("known from UT.cer"))

    let expired = try assess(country.signer(.documentSigner, days: -300..<(-100)).certificate)
    #expect(expired.isTrusted && expired.detail.contains("It expired on"))
    let unknown = try assess(TestAuthority("FR").signer(.documentSigner).certificate)
    #expect(!unknown.isTrusted && unknown.path.isEmpty && unknown.detail.contains("issuer is not known"))
    let impostor = try assess(TestAuthority().signer(.documentSigner).certificate)
    #expect(!impostor.isTrusted)
    var bytes = signer.der
    bytes[bytes.count - 1] ^= 1
    let changed = try assess(Certificate(der: bytes))
    #expect(!changed.isTrusted && changed.detail.contains("signature is wrong"))
    let foreign = try assess(TestAuthority("FR").certificate)
    #expect(!foreign.isTrusted && foreign.detail.contains("self-signed and not imported"))
  }
}
