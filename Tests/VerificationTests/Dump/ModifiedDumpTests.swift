import Foundation
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

@Suite("Changed bytes in saved dumps")
struct ModifiedDumpTests {
  /// With Chip and Active Authentication; with Chip Authentication and its mapping of PACE.
  static let profiles = ["all", "germany-2023"]

  /// What a verification tells about a dump.
  private struct Verdict: Equatable {
    let checks: [Check]
    let findings: [Report.Finding]
    let outcome: Outcome

    init(_ report: Report) { (checks, findings, outcome) = (report.checks, report.findings, report.outcome) }
  }

  /// - Returns: whether the change was noticed: an error, or the finding that the dump was modified.
  private func isNoticed(_ path: String, _ original: Verdict, at date: Date, _ place: String) -> Bool {
    guard let report = try? SavedDump.load(path: path).report(at: date) else { return true }
    let verdict = Verdict(report)
    if verdict.findings.contains(where: { $0.id == .dumpModified }) {
      #expect(!report.isSound)
      return true
    }
    #expect(verdict == original, "\(place) changes the verdict unnoticed")
    return false
  }

  @Test("one changed byte in a file of a folder is noticed or changes nothing", arguments: zip(profiles, [200, 40]))
  func folder(_ name: String, _ places: Int) async throws {
    let folder = try TemporaryFolder()
    let dump = try await Dumps.read(name)
    let date = try #require(dump.readAt)
    let path = folder.file("dump")
    try SavedDump(dump, report: try Report(dump)).write(to: path)
    let original = Verdict(try SavedDump.load(path: path).report(at: date))
    #expect(original.checks == (try Report(dump, at: date).checks))
    for file in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
      let bytes = folder.bytes("dump/\(file)")
      let url = folder.url.appendingPathComponent("dump/\(file)")
      var unnoticed = 0
      await Fuzzing.manyTimes(places, of: "\(file) of a dump") { generator in
        var changed = bytes
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        changed[place] ^= UInt8.random(in: 1...255, using: &generator)
        #expect((try? Data(changed).write(to: url)) != nil)
        if !isNoticed(path, original, at: date, "byte \(place) of \(file)") { unnoticed += 1 }
      }
      try Data(bytes).write(to: url)
      // Verification does not use the report. In the checksums, a letter may change its case, and so on.
      if !["report.json", "SHA256SUMS"].contains(file) { #expect(unnoticed == 0, "\(file)") }
    }
  }

  @Test("one changed byte of a dump in one file is noticed or changes nothing", arguments: profiles)
  func archive(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let dump = try await Dumps.read(name)
    let date = try #require(dump.readAt)
    let path = folder.file("d.tessera")
    try SavedDump(dump, report: try Report(dump)).write(to: path)
    let original = Verdict(try SavedDump.load(path: path).report(at: date))
    let bytes = folder.bytes("d.tessera")
    // The directory at the end of the archive is small and has the most to say.
    for places in [0..<bytes.count, bytes.count - 2_000..<bytes.count] {
      await Fuzzing.manyTimes(500, of: "a dump in one file") { generator in
        var changed = bytes
        let place = Int.random(in: places, using: &generator)
        changed[place] ^= UInt8.random(in: 1...255, using: &generator)
        #expect((try? Data(changed).write(to: folder.url.appendingPathComponent("d.tessera"))) != nil)
        _ = isNoticed(path, original, at: date, "byte \(place)")
      }
    }
  }

  @Test(
    "files of any content load or are refused", arguments: ["manifest.json", "evidence.json", "SHA256SUMS", "DG1.bin"])
  func anyContent(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let dump = try await Dumps.read("all")
    try SavedDump(dump, report: nil).write(to: folder.file("dump"))
    let bytes = folder.bytes("dump/\(name)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("dump")).filter { $0 != "SHA256SUMS" }
    await Fuzzing.manyTimes(200, of: "\(name) with its checksum") { generator in
      let changed = Fuzzing.mutated(bytes, &generator)
      // With new checksums, as by an attacker: the parsers see the content.
      let entries = names.map { DumpEntry(name: $0, bytes: $0 == name ? changed : folder.bytes("dump/\($0)")) }
      let sums = name == "SHA256SUMS" ? changed : ((try? DumpChecksums.text(of: entries)).map { Array($0.utf8) } ?? [])
      var all = DumpEntries()
      for entry in entries + [DumpEntry(name: "SHA256SUMS", bytes: sums)] { try? all.add(entry) }
      guard let saved = try? SavedDump(all), let report = try? saved.report() else { return }
      #expect((try? report.json()) != nil)
    }
  }
}
