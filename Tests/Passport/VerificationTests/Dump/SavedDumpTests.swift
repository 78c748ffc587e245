import Foundation
import PassportTestSupport
import TesseraJSON
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// Dumps of the built-in chip.
enum Dumps {
  /// - Parameter name: of a profile.
  static func read(_ name: String) async throws -> DocumentDump {
    try await ProfileRead.of(name, readsCardFiles: true).dump
  }

  /// - Returns: The dump and what the country of the document publishes; nil if the chip ends the read.
  static func judged(_ name: String) async throws -> (dump: DocumentDump, trust: TrustMaterial)? {
    let read = try await ProfileRead.of(name, readsCardFiles: true)
    do {
      return (try read.dump, read.trust)
    } catch is PassportError where ChipProfile.faulty.contains(read.profile) {
      return nil
    }
  }

  static func read(_ files: ChipFiles, _ profile: ChipProfile) async throws -> DocumentDump {
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    request.readsCardFiles = true
    return try await Inspection.read(VirtualCard.card(try Chip(profile: profile, files: files)), request)
  }

  /// Writes and loads a dump.
  static func stored(_ dump: DocumentDump, as name: String) throws -> SavedDump {
    let folder = try TemporaryFolder()
    try SavedDump(dump, report: try? Report(dump)).write(to: folder.file(name))
    return try SavedDump.load(path: folder.file(name))
  }
}

@Suite("Saved dumps")
struct SavedDumpTests {
  /// Every profile, in turn as a folder and as one file.
  static let stored = ChipProfile.all.enumerated().flatMap { number, profile in
    let forms = ["dump", "d.tessera"]
    return (Sweep.isFull ? forms : [forms[number % 2]]).map { (profile.name, $0) }
  }

  @Test("the verdict on a dump is that of the read", arguments: stored)
  func roundTrip(_ name: String, _ form: String) async throws {
    guard let (dump, trust) = try await Dumps.judged(name) else { return }
    let saved = try Dumps.stored(dump, as: form)
    #expect(saved.software == "tessera \(TesseraVersion.current)" && saved.modifiedFiles.isEmpty)
    #expect(saved.dump.files.map(\.file) == dump.files.map(\.file))
    #expect(saved.dump.files.map(\.bytes) == dump.files.map(\.bytes))
    #expect(saved.dump.evidence == dump.evidence && saved.dump.omissions == dump.omissions)
    #expect(!saved.dump.isOfOtherProgram)
    #expect(saved.dump.givenKey == dump.givenKey && saved.dump.pace == dump.pace)
    let delay = try #require(saved.dump.readAt).timeIntervalSince(try #require(dump.readAt))
    #expect(abs(delay) < 0.001)
    let date = try #require(dump.readAt)
    let original = try Report(dump, trust: trust, at: date)
    #expect(try saved.report(trust: trust, at: date).json() == stated(original, readAt: saved.dump.readAt))
    #expect(try saved.report().verifiedAt == saved.dump.readAt)
  }

  @Test("the JSON value of a report is that of its text, member by member", arguments: ["all", "germany-2023", "open"])
  func value(_ name: String) async throws {
    let (dump, trust) = try #require(try await Dumps.judged(name))
    for report in [try Report(dump, trust: trust), try Report(dump)] {
      let value = try report.value()
      #expect(try value.text == JSONValue(text: report.json()).text)
      #expect(value["checks"] != nil && value["accessControl"]?["reason"] != nil)
    }
  }

  /// The JSON text of a report with the time of the read to the millisecond, as a dump states it.
  private func stated(_ report: Report, readAt: Date?) throws -> String {
    guard let old = report.readAt, let readAt else { return try report.json() }
    return try report.json().replacing(
      #""readAt" : "\#(old.formatted(.iso8601))""#, with: #""readAt" : "\#(readAt.formatted(.iso8601))""#)
  }

  @Test("a manifest cannot call a removed group protected, and evidence needs a manifest")
  func claims() async throws {
    var dump = try await Dumps.read("all")
    let name = DumpNames.name(of: .dataGroup(2) ?? .sod)
    dump.omissions.append(.init(file: .dataGroup(2) ?? .sod, cause: .protected, reason: "protected"))
    func load(_ dump: DocumentDump, without names: Set<String>) throws -> SavedDump? {
      var all = DumpEntries()
      let kept = try SavedDump(dump, report: nil).entries()
        .filter { !names.contains($0.name) && $0.name != DumpNames.checksums }
      for entry in kept { try all.add(entry) }
      if !names.contains(DumpNames.manifest) {
        try all.add(DumpEntry(name: DumpNames.checksums, bytes: Array(try DumpChecksums.text(of: kept).utf8)))
      }
      return try SavedDump(all)
    }
    #expect(throws: DumpError.malformed(DumpNames.manifest)) { try load(dump, without: [name]) }
    dump.omissions.removeLast()
    let hidden = try #require(try load(dump, without: [name]))
    #expect(try hidden.report()[.passiveHashes]?.detail.contains("Not compared, since not read: DG2") == true)
    #expect(throws: DumpError.modified(DumpNames.manifest)) { try load(dump, without: [DumpNames.manifest]) }
    #expect(try load(dump, without: [DumpNames.manifest, DumpNames.evidence])?.dump.evidence == ChipEvidence())
  }

  @Test("a second dump replaces the first, and other files remain")
  func replacement() async throws {
    let folder = try TemporaryFolder()
    for profile in ["all", "open"] {
      let dump = try await Dumps.read(profile)
      try SavedDump(dump, report: nil).write(to: folder.file("dump"))
      try Data("mine".utf8).write(to: folder.url.appendingPathComponent("dump/notes.txt"))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("dump"))
    #expect(!names.contains("EF.CardAccess.bin") && !names.contains("report.json") && names.contains("notes.txt"))
    #expect(!names.contains { $0.hasPrefix(".") })
    #expect(try SavedDump.load(path: folder.file("dump")).report().isSound)
  }

  @Test("a folder of another program is a dump, without a time and without evidence")
  func foreignFolder() throws {
    let saved = try SavedDump.load(path: Fixtures.specimen("bsi2008").path)
    #expect(saved.dump.files.map(\.file.name) == ["EF.COM", "EF.SOD", "DG1", "DG2", "DG14", "DG15"])
    #expect(saved.software == nil && saved.dump.readAt == nil && saved.dump.evidence == ChipEvidence())
    #expect(saved.dump.isOfOtherProgram)
    #expect(try saved.report()[.passiveSignature]?.status == .passed)
  }

  @Test("what is no dump is refused")
  func refusals() async throws {
    let folder = try TemporaryFolder()
    func create(_ name: String, _ bytes: [UInt8] = []) throws -> String {
      try Data(bytes).write(to: folder.url.appendingPathComponent(name))
      return folder.file(name)
    }
    func error(_ path: String) -> DumpError? {
      do {
        _ = try SavedDump.load(path: path)
        return nil
      } catch {
        return error
      }
    }
    #expect(error(folder.file("nothing")) == .unreadable(folder.file("nothing")))
    #expect(error(folder.url.path) == .notADump(folder.url.path))
    let text = try create("text.tessera", Array("text".utf8))
    #expect(error(text) == .notADump(text))
    #expect(error("/dev/null") == .notADump("/dev/null"))
    let archive = try create("cut.tessera", [0x50, 0x4B, 0x03, 0x04])
    guard case .archive? = error(archive) else {
      Issue.record("a truncated archive was accepted")
      return
    }
    let twice = try TemporaryFolder()
    for name in ["a", "b"] {
      try Data(Fixtures.specimen("bsi2008", file: "Datagroup1.bin")).write(to: twice.url.appendingPathComponent(name))
    }
    #expect(error(twice.url.path) == .ambiguous(.dg1))
    let large = try TemporaryFolder()
    try Data(count: SavedDump.maximumFileSize + 1).write(to: large.url.appendingPathComponent("DG2.bin"))
    #expect(error(large.url.path) == .tooLarge("DG2.bin"))
  }

  @Test("files are not read through links, and pipes do not block")
  func links() async throws {
    let folder = try TemporaryFolder()
    let dump = try await Dumps.read("open")
    try SavedDump(dump, report: nil).write(to: folder.file("dump"))
    try FileManager.default.moveItem(atPath: folder.file("dump/DG2.bin"), toPath: folder.file("moved"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("dump/DG2.bin"), withDestinationPath: folder.file("moved"))
    #expect(mkfifo(folder.file("dump/DG16.bin"), 0o600) == 0)
    let saved = try SavedDump.load(path: folder.file("dump"))
    #expect(saved.modifiedFiles == [.dg2] && saved.dump[.dg2] == nil)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.file("dump"))
    #expect(try SavedDump.load(path: folder.file("link")).dump[.dg1] == dump[.dg1])
    #expect(throws: DumpError.link(folder.file("link"))) {
      try SavedDump(dump, report: nil).write(to: folder.file("link"))
    }
  }

  @Test("a removed file is noticed, and so are missing checksums and a newer format")
  func removal() async throws {
    let dump = try await Dumps.read("all")
    func load(without name: String) throws -> SavedDump {
      let folder = try TemporaryFolder()
      try SavedDump(dump, report: nil).write(to: folder.file("dump"))
      try FileManager.default.removeItem(atPath: folder.file("dump/\(name)"))
      return try SavedDump.load(path: folder.file("dump"))
    }
    for name in ["manifest.json", "evidence.json", "SHA256SUMS"] {
      #expect(throws: DumpError.modified(name)) { try load(without: name) }
    }
    let report = try load(without: "DG14.bin").report()
    #expect(report.findings.map(\.id) == [.dumpModified] && !report.isSound)
    #expect(report.findings.first?.detail.contains("DG14") == true)
    #expect(throws: DumpError.modified("DG1")) { try load(without: "DG1.bin").report() }
    #expect(throws: DumpError.unsupportedVersion(2)) {
      try DumpManifest(json: Array(#"{"formatVersion": 2, "more": 1}"#.utf8))
    }
  }

  @Test("a manifest with impossible values is refused")
  func manifests() async throws {
    let dump = try await Dumps.read("all")
    let text = String(
      decoding: try DumpManifest(dump, software: "tessera 0", virtualProfile: "all").json(), as: UTF8.self)
    func problem(_ old: Regex<some Any>, _ new: String) -> DumpError? {
      #expect(text.contains(old))
      do throws(DumpError) {
        var restored = DocumentDump()
        try DumpManifest(json: Array(text.replacing(old, with: new).utf8)).complete(&restored)
        return nil
      } catch {
        return error
      }
    }
    #expect(problem(/"formatVersion" : 1/, #""formatVersion" : 1"#) == nil)
    for (old, new) in [
      (#""milliseconds" : [0-9]+"#, #""milliseconds" : 9223372036854775807"#),
      (#""milliseconds" : [0-9]+"#, #""milliseconds" : -1"#), (#""exchanges" : [0-9]+"#, #""exchanges" : 1e300"#),
      (#""readAt" : "[^"]+""#, #""readAt" : "yesterday""#),
      (#""accessProtocol" : "PACE""#, #""accessProtocol" : """#),
      (#""protocolIdentifier" : "[^"]+""#, #""protocolIdentifier" : "1.2.3""#),
      (#""mrzInformation" : "[^"]+""#, #""mrzInformation" : "1""#), (#""file" : "DG3""#, #""file" : "DG17""#),
    ] {
      #expect(problem(try Regex(old), new) == .malformed("manifest.json"), "\(new)")
    }
  }

  @Test("active authentication must have answered the required challenge")
  func challenge() async throws {
    let saved = try Dumps.stored(try await Dumps.read("all"), as: "dump")
    let challenge = try #require(saved.dump.evidence.activeAuthentication?.challenge)
    #expect(try saved.report(challenge: challenge)[.activeAuthentication]?.status == .passed)
    let other = try saved.report(challenge: challenge.reversed())
    #expect(other[.activeAuthentication]?.status == .failed && other.outcome == .notEstablished)
    let none = try Dumps.stored(try await Dumps.read("open"), as: "dump").report(challenge: challenge)
    #expect(none[.activeAuthentication]?.status == .failed && none.failedChecks.count == 1)
    // A document without Active Authentication is not accused.
    let (dump, trust) = try #require(try await Dumps.judged("germany-2023"))
    let unanswered = try Report(dump, trust: trust, challenge: challenge)
    #expect(
      unanswered[.chipAuthentication]?.status == .passed && unanswered[.activeAuthentication]?.status == .failed)
    #expect(unanswered.outcome == .notEstablished && unanswered.outcomeReason == .challenge)
  }

  @Test("the dumps of a folder")
  func search() async throws {
    let folder = try TemporaryFolder()
    let dump = try await Dumps.read("open")
    for name in ["b", "a", "c.tessera"] { try SavedDump(dump, report: nil).write(to: folder.file(name)) }
    try Data("text".utf8).write(to: folder.url.appendingPathComponent("notes.txt"))
    #expect(try SavedDump.paths(in: folder.url.path) == ["a", "b", "c.tessera"].map(folder.file))
    #expect(try SavedDump.paths(in: folder.file("a")) == [folder.file("a")])
    #expect(try SavedDump.paths(in: folder.file("c.tessera")) == [folder.file("c.tessera")])
    #expect(throws: DumpError.unreadable(folder.file("d"))) { try SavedDump.paths(in: folder.file("d")) }
    // A dump among them hides none, and what else is there is none.
    try FileManager.default.createDirectory(atPath: folder.file("pictures"), withIntermediateDirectories: true)
    #expect(SavedDump.isFolderOfOthers(path: folder.url.path))
    try SavedDump(dump, report: nil).write(to: folder.url.path)
    let all = [folder.url.path] + ["a", "b", "c.tessera"].map(folder.file)
    #expect(try SavedDump.paths(in: folder.url.path) == all)
  }

  @Test("a folder whose folders are of something else is one path, also beside one of another program's files")
  func nothingFound() async throws {
    let folder = try TemporaryFolder()
    for name in ["pictures", "texts"] {
      try FileManager.default.createDirectory(atPath: folder.file("all/\(name)"), withIntermediateDirectories: true)
      try Data("text".utf8).write(to: folder.url.appendingPathComponent("all/\(name)/notes.txt"))
    }
    #expect(try SavedDump.paths(in: folder.file("all")) == [folder.file("all")])
    let group = try #require(try await Dumps.read("open")[.dg1])
    try Data(group).write(to: folder.url.appendingPathComponent("all/texts/first"))
    #expect(try SavedDump.paths(in: folder.file("all")) == ["all/pictures", "all/texts"].map(folder.file))
  }

  /// Files of other programs, by their names. No dump may take their places.
  static let filesOfOthers = [
    ["SHA256SUMS": String(repeating: "0", count: 64) + "  my.iso\n", "my.iso": "data"],
    ["report.json": "{}", "a.txt": "text"], ["manifest.json": "{\"name\":\"app\"}", "a.txt": "text"],
    ["manifest.json": "{\"formatVersion\":2}", "SHA256SUMS": String(repeating: "0", count: 64) + "  manifest.json\n"],
    ["evidence.json": "{}"], ["DG1.bin": "a game"], [".dump-new": "a file"],
  ]

  @Test("files of other programs with the names of a dump's do not make a folder a dump", arguments: filesOfOthers)
  func foreign(_ files: [String: String]) throws {
    let folder = try TemporaryFolder()
    for (name, text) in files { try Data(text.utf8).write(to: folder.url.appendingPathComponent(name)) }
    #expect(SavedDump.isFolderOfOthers(path: folder.url.path))
    // What is left of a dump that was moved changes nothing.
    guard files[".dump-new"] == nil else { return }
    try FileManager.default.createDirectory(atPath: folder.file(".dump-new"), withIntermediateDirectories: false)
    #expect(SavedDump.isFolderOfOthers(path: folder.url.path))
  }

  @Test("a dump is not replaced together with a file of its names that it does not list, or without its manifest")
  func unlisted() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("dump")
    let dump = try await Dumps.read("open")
    try SavedDump(dump, report: nil).write(to: path)
    #expect(!SavedDump.isFolderOfOthers(path: path))
    try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(path)/report.json"))
    #expect(SavedDump.isFolderOfOthers(path: path))
    unlink("\(path)/report.json")
    #expect(!SavedDump.isFolderOfOthers(path: path))
    // A whole dump on its way counts, whatever was moved already.
    try DumpReplacement(folder: path).write(try SavedDump(dump, report: nil).entries())
    unlink("\(path)/manifest.json")
    #expect(!SavedDump.isFolderOfOthers(path: path))
    try DumpReplacement(folder: path).finish()
    #expect(!SavedDump.isFolderOfOthers(path: path))
    unlink("\(path)/manifest.json")
    #expect(SavedDump.isFolderOfOthers(path: path))
  }

  @Test("a folder is for a dump if it is new, empty or a dump's, also one that a killed writer left")
  func folders() async throws {
    let folder = try TemporaryFolder()
    let dump = try await Dumps.read("open")
    #expect(!SavedDump.isFolderOfOthers(path: folder.file("new")) && !SavedDump.isFolderOfOthers(path: folder.url.path))
    #expect(!SavedDump.isFolderOfOthers(path: folder.file("new.tessera")))
    try SavedDump(dump, report: nil).write(to: folder.file("dump"))
    try Data("text".utf8).write(to: folder.url.appendingPathComponent("dump/notes.txt"))
    #expect(!SavedDump.isFolderOfOthers(path: folder.file("dump")))
    // The folder of the dump is itself something else, and so is one with a hidden file alone.
    #expect(
      SavedDump.isFolderOfOthers(path: folder.url.path) && SavedDump.isFolderOfOthers(path: folder.file("dump/..")))
    for (name, isOther) in [(".dump-new", false), (".profile", true)] {
      let path = folder.file("of\(name)")
      try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
      #expect(SavedDump.isFolderOfOthers(path: path) == isOther, "\(name)")
    }
  }
}

extension RealPrograms {
  /// The checksums of a dump by another program.
  @Suite("Saved dumps and sha256sum")
  struct DumpChecksumTests {
    @Test("sha256sum confirms every file, and only the owner can read them")
    func checksums() async throws {
      let folder = try TemporaryFolder()
      let dump = try await Dumps.read("all")
      try SavedDump(dump, report: try Report(dump)).write(to: folder.file("dump"))
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/bin/sh"), ["-c", "cd \"$0\" && sha256sum --strict -c SHA256SUMS", folder.file("dump")]
      ).finish()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("dump"))
      #expect(run.status == 0 && run.output.split(separator: "\n").count == names.count - 1)
      for name in ["manifest.json", "evidence.json", "report.json", "EF.SOD.bin", "EF.ATR-INFO.bin"] {
        #expect(run.output.contains("\(name): OK"), "\(name)")
      }
      for name in names {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("dump/\(name)"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
    }
  }
}
