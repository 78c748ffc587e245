import TesseraArchive
import TesseraVirtualChip

@testable import TesseraCryptography
@testable import TesseraVerification

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files of country certificates, imported with a named root.
enum TrustHarness: Harness {
  static let name = "trust"

  static func seeds() throws -> [String: [UInt8]] {
    let country = try TestCountryFiles.country()
    let certificate = country.countrySigners.first?.der ?? []
    let list = country.revocationLists.first ?? []
    let signer = country.documentSigners.first?.pem() ?? ""
    let line = "certificateRevocationList;binary:: \(Data(list).base64EncodedString())"
    let ldif = "version: 1\ndn: c=UT\n\(line)\n"
    return [
      "master-list": try country.masterList(), "certificate": certificate, "revocation-list": list,
      "signer-pem": Array("a signer\n\(signer)\n".utf8), "ldif": Array(ldif.utf8),
      "archive": try ZipArchive.write([ZipEntry(name: "UT.cer", bytes: certificate)]),
    ]
  }

  static func test(_ input: [UInt8]) throws {
    let roots = try TestCountryFiles.country().countrySigners
    var trust = TrustImport(to: TrustMaterial(), roots: roots)
    let file = try TrustFileContent(input, name: "file")
    for list in file.revocationLists {
      _ = (list.issuer, list.count, try? list.revocationDate(ofSerialNumber: [1]))
    }
    for certificate in file.certificates {
      _ = (certificate.subject, certificate.documentTypes, certificate.extendedKeyUsage, certificate.criticalExtensions)
    }
    let summary = try trust.add(file)
    property(summary.accepted > 0, "an import without an error accepts something")
    let keys = Set(roots.map(\.publicKeyInfo))
    property(
      trust.material.countrySigners.allSatisfy { keys.contains($0.certificate.publicKeyInfo) },
      "only keys of the country are trusted")
    let again = try TrustFile.decode(TrustFile.encode(trust.material))
    property(again.count == trust.material.count, "the store has what was imported")
  }
}

/// Saved dumps in one file.
enum DumpHarness: Harness {
  static let name = "dumps"

  static func seeds() throws -> [String: [UInt8]] {
    let document = try SpecimenDocument(groups: [1: SpecimenDocument().files[.dg1] ?? []])
    let files = document.files.all.map { ZipEntry(name: "\($0.name).bin", bytes: document.files[$0] ?? []) }
    let manifest = """
      {"formatVersion":1,"software":"tessera 0","reader":"r","accessProtocol":"BAC","omissions":[],"exchanges":1,\
      "bytesSent":2,"bytesReceived":3,"milliseconds":4,"readAt":"2026-01-02T03:04:05.678Z"}
      """
    let saved = files + [ZipEntry(name: DumpNames.manifest, bytes: Array(manifest.utf8))]
    let sums = try DumpChecksums.text(of: saved.map { DumpEntry(name: $0.name, bytes: $0.bytes) })
    return [
      "foreign": try ZipArchive.write(files),
      "saved": try ZipArchive.write(saved + [ZipEntry(name: DumpNames.checksums, bytes: Array(sums.utf8))], .stored),
    ]
  }

  private static let limits = ZipArchive.Limits(
    maximumEntries: 100, maximumEntrySize: 1 << 20, maximumTotalSize: 1 << 22)

  static func test(_ input: [UInt8]) throws {
    var entries = DumpEntries()
    for entry in try ZipArchive.read(input, limits) {
      try entries.add(DumpEntry(name: entry.name, bytes: entry.bytes))
    }
    guard let saved = try SavedDump(entries) else { return }
    let report = try saved.report()
    property(report.outcome != .genuine, "nothing is genuine without country certificates")
    _ = try report.json()
  }
}

/// The test country of the harnesses. Its certificates differ in each process, its keys do not.
private enum TestCountryFiles {
  static func country() throws -> TestCountry { try SpecimenDocument().country }
}
