import Foundation
import PassportTestSupport
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraVerification

/// Certificates that a program names by their paths.
@Suite("Trust material of files and folders")
struct NamedTrustTests {
  private let folder: TemporaryFolder
  private let country: TestAuthority

  init() throws {
    folder = try TemporaryFolder()
    country = try TestAuthority()
    try FileManager.default.createDirectory(atPath: folder.file("country/below"), withIntermediateDirectories: true)
    for name in ["country", "country/below"] { chmod(folder.file(name), 0o755) }
    try write(country.certificate.der, to: "country/below/UT.cer")
    try write(Array("Read me.".utf8), to: "country/README")
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
    chmod(folder.file(name), 0o644)
  }

  private func failure(_ paths: [String]) -> Failure? {
    do {
      _ = try TrustMaterial(paths: paths.map(folder.file))
      return nil
    } catch {
      return Failure(error)
    }
  }

  @Test("a certificate, a list, a link and a folder with a readme are accepted, also together")
  func accepted() throws {
    try write(try country.masterList([country.certificate]), to: "UT.ml")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.cer"), withDestinationPath: folder.file("country/below/UT.cer"))
    let paths = ["country/below/UT.cer", "UT.ml", "link.cer", "country"].map(folder.file)
    for named in paths.map({ [$0] }) + [paths] {
      let trust = try TrustMaterial(paths: named)
      #expect(trust.countrySigners.map(\.certificate) == [country.certificate], "\(named)")
      #expect(trust.name == nil && trust.provesAuthenticity)
    }
    #expect(try TrustMaterial(paths: []).isEmpty)
  }

  @Test("what is not there, empty or of no known format is refused")
  func refused() throws {
    try FileManager.default.createDirectory(atPath: folder.file("empty"), withIntermediateDirectories: true)
    for (path, words) in [
      ("nowhere.cer", "no such file"), ("empty", "is empty"), ("country/README", "not a master list"),
    ] {
      let refusal = try #require(failure([path]))
      #expect(refusal.kind == .usage && refusal.cause.contains(words) && refusal.remedy != nil, "\(refusal)")
    }
    try FileManager.default.removeItem(atPath: folder.file("country/below/UT.cer"))
    #expect(failure(["country"])?.cause.contains("no certificate and no list") == true)
  }

  @Test("a folder that others can write to, or a file in it, is refused")
  func openToOthers() throws {
    for path in ["country/below", "country/below/UT.cer"] {
      let mode: mode_t = path.hasSuffix(".cer") ? 0o644 : 0o755
      chmod(folder.file(path), mode | 0o022)
      #expect(failure(["country"])?.cause.contains("belongs to another user") == true)
      chmod(folder.file(path), mode)
      #expect(failure(["country"]) == nil)
    }
  }

  @Test("a file that is too large is refused before it is read")
  func tooLarge() throws {
    let path = folder.file("large.cer")
    try write([], to: "large.cer")
    #expect(truncate(path, NamedTrustFiles.maximumSize + 1) == 0)
    #expect(throws: TrustSourceError("large.cer", .tooLarge(limit: NamedTrustFiles.maximumSize))) {
      try TrustMaterial(paths: [path])
    }
  }
}
