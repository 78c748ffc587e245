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

    /// The checks that passed, without those of the data page alone: they prove nothing.
    private var proofs: Set<Check.ID> {
      Set(checks.filter { $0.status == .passed }.map(\.id))
        .subtracting([.mrzCheckDigits, .mrzMatchesKey, .documentExpiry])
    }

    /// A file that becomes malformed may take the proof against a document away: then the question is open.
    func isBetter(than other: Verdict) -> Bool {
      outcome == .genuine && other.outcome != .genuine || !proofs.isSubset(of: other.proofs)
    }
  }

  /// Every stored file of every profile. The checksums of an attacker fit the changed file. Nothing signs the manifest, nor
  /// that evidence is complete, so that an attacker can choose those.
  @Test("one changed byte in any file never improves the verdict", arguments: ChipProfile.all.map(\.name))
  func everyProfile(_ name: String) async throws {
    guard let (dump, trust) = try await Dumps.judged(name) else { return }
    let entries = try SavedDump(dump, report: nil).entries().filter { $0.name != DumpNames.checksums }
    let sums = DumpEntry(name: DumpNames.checksums, bytes: Array(try DumpChecksums.text(of: entries).utf8))
    func verdict(_ entries: [DumpEntry], _ sums: DumpEntry) throws -> Verdict? {
      var all = DumpEntries()
      for entry in entries + [sums] { try all.add(entry) }
      return try SavedDump(all).map { Verdict(try $0.report(trust: trust, at: dump.readAt)) }
    }
    let original = try #require(try verdict(entries, sums))
    var generator = SeededGenerator(seed: 1)
    var verdicts = 0
    for (index, entry) in entries.enumerated() {
      // All profiles have the same files, so that one change of each is many of every kind of file.
      for _ in 0..<(Fuzzing.isLong ? 200 : Sweep.isFull ? 2 : 1) {
        var changed = entries
        var bytes = entry.bytes
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
        changed[index] = DumpEntry(name: entry.name, bytes: bytes)
        let change = "byte \(place) of \(entry.name)"
        if let noticed = try? verdict(changed, sums) {
          #expect(noticed.findings.contains { $0.id == .dumpModified }, "\(change)")
          #expect(!noticed.isBetter(than: original), "\(change)")
        }
        guard ![DumpNames.manifest, DumpNames.evidence].contains(entry.name) else { continue }
        let fitting = DumpEntry(name: DumpNames.checksums, bytes: Array(try DumpChecksums.text(of: changed).utf8))
        if let forged = try? verdict(changed, fitting) {
          verdicts += 1
          #expect(!forged.isBetter(than: original), "\(change) with fitting checksums")
        }
        await Task.yield()
      }
    }
    #expect(verdicts > 0)
  }

  /// The signature covers neither itself nor the certificate beside it. What is malformed leaves the question open.
  @Test(
    "no changed byte of EF.SOD makes a signer of other documents acceptable",
    arguments: ["trust-wrong-country", "trust-document-type"])
  func everyByteOfTheSigner(_ name: String) async throws {
    let (dump, trust) = try #require(try await Dumps.judged(name))
    let sod = try #require(dump[.sod])
    var verdicts = 0
    for place in stride(from: 0, to: sod.count, by: Fuzzing.isLong ? 1 : 3) {
      for bit in Fuzzing.isLong ? 0..<8 : place % 8..<place % 8 + 1 {
        var bytes = sod
        bytes[place] ^= 1 << UInt8(bit)
        var changed = DocumentDump(files: dump.files.map { ($0.file, $0.file == .sod ? bytes : $0.bytes) })
        changed.givenKey = dump.givenKey
        guard let report = try? Report(changed, trust: trust, at: dump.readAt) else { continue }
        verdicts += 1
        #expect(report.outcome != .genuine, "bit \(bit) of byte \(place): \(report.headline)")
      }
      await Task.yield()
    }
    #expect(verdicts > 100)
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

  /// Places in a file of a dump: one in each line of a text, which is a field of it, and some in each part of the others.
  private static func places(_ file: String, _ bytes: [UInt8], _ generator: inout SeededGenerator) -> [Int] {
    if Sweep.isFull || Fuzzing.isLong {
      return Sweep.places(200, in: 0..<bytes.count, using: &generator)
    }
    // Verification does not use the report.
    guard ["manifest.json", "evidence.json", "SHA256SUMS"].contains(file) else {
      return Sweep.places(8, in: 0..<bytes.count, using: &generator)
    }
    return bytes.split(separator: 0x0A).map { Int.random(in: $0.indices, using: &generator) }
  }

  @Test("one changed byte in a file of a folder is noticed or changes nothing", arguments: profiles)
  func folder(_ name: String) async throws {
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
      await Fuzzing.manyTimes(1, of: "\(file) of a dump") { generator in
        for place in Self.places(file, bytes, &generator) {
          var changed = bytes
          changed[place] ^= UInt8.random(in: 1...255, using: &generator)
          #expect((try? Data(changed).write(to: url)) != nil)
          if !isNoticed(path, original, at: date, "byte \(place) of \(file)") { unnoticed += 1 }
        }
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
    let isWhole = Sweep.isFull || Fuzzing.isLong
    // The directory at the end of the archive is small and has the most to say: twenty entries with the same fields.
    for (range, count) in [(0..<bytes.count, 60), (bytes.count - 2_000..<bytes.count, 160)] {
      await Fuzzing.manyTimes(1, of: "a dump in one file") { generator in
        for place in Sweep.places(isWhole ? 500 : count, in: range, using: &generator) {
          var changed = bytes
          changed[place] ^= UInt8.random(in: 1...255, using: &generator)
          #expect((try? Data(changed).write(to: folder.url.appendingPathComponent("d.tessera"))) != nil)
          _ = isNoticed(path, original, at: date, "byte \(place)")
        }
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
    let others = names.map { DumpEntry(name: $0, bytes: folder.bytes("dump/\($0)")) }
    await Fuzzing.manyTimes(Sweep.isFull ? 200 : 70, of: "\(name) with its checksum") { generator in
      let changed = Fuzzing.mutated(bytes, &generator)
      // With new checksums, as by an attacker: the parsers see the content.
      let entries = others.map { $0.name == name ? DumpEntry(name: name, bytes: changed) : $0 }
      let sums = name == "SHA256SUMS" ? changed : ((try? DumpChecksums.text(of: entries)).map { Array($0.utf8) } ?? [])
      var all = DumpEntries()
      for entry in entries + [DumpEntry(name: "SHA256SUMS", bytes: sums)] { try? all.add(entry) }
      guard let saved = try? SavedDump(all), let report = try? saved.report() else { return }
      #expect((try? report.json()) != nil)
    }
  }
}
