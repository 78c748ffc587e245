import FleetLab
import Foundation
import TesseraFleet
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

/// The checks of `Tests/Fleet/FleetLoad/run` and of the chaos tests find what they are for.
@Suite("The comparison of desks and stream")
struct LoadCheckTests {
  private static let genuine = LoadResult(.genuine, nil)
  private static let forged = LoadResult(.notGenuine, .chip)
  private static let results = [
    "bac": genuine, "fault-clone": forged, "fault-token": LoadResult(FleetError(.readFailed)),
  ].mapValues { [FleetReadingMode.witnessed: $0] }

  /// A read of the profile, and its record.
  private struct Example {
    var entries: [LoadEntry]
    var records: [LoadCheck.Record]

    init(_ profile: String, _ result: LoadResult) throws {
      let (read, desk) = (try FleetReadID.random(), try #require(DeskName("d1")))
      var end = LoadEntry(.read, desk: desk, read: read, profile: profile, mode: .witnessed)
      end.result = result
      end.isRecorded = true
      end.milliseconds = 10
      entries = [LoadEntry(.began, desk: desk, read: read, profile: profile, mode: .witnessed), end]
      records = [LoadCheck.Record(desk: "d1", read: read, result: result)]
    }

    func check(allowsErrors: Bool = false) -> LoadCheck {
      LoadCheck(entries, records, results: results, limit: .seconds(1), allowsErrors: allowsErrors)
    }

    mutating func fail(_ code: FleetError.Code) {
      entries[1].event = .failed
      entries[1].result = LoadResult(FleetError(code))
    }
  }

  @Test("accepts verdicts with their records, and documents that cannot be read")
  func right() throws {
    #expect(try Example("bac", Self.genuine).check().problems == [])
    #expect(try Example("fault-clone", Self.forged).check().problems == [])
    var unreadable = try Example("fault-token", Self.genuine)
    unreadable.fail(.readFailed)
    unreadable.records = []
    #expect(unreadable.check().problems == [])
    #expect(unreadable.check().unreadable == 1)
  }

  @Test("finds an acknowledged read without a record, with two, with another verdict, or of another desk")
  func records() throws {
    var example = try Example("bac", Self.genuine)
    let record = example.records[0]
    example.records = []
    #expect(example.check().problems.count == 1)
    example.records = [record, record]
    #expect(example.check().problems.count == 2)
    example.records = [LoadCheck.Record(desk: "d1", read: record.read, result: Self.forged)]
    #expect(example.check().problems.count == 2)
    example.records = [LoadCheck.Record(desk: "d2", read: record.read, result: Self.genuine)]
    #expect(example.check().problems.count == 1)
    example.records = [record, LoadCheck.Record(desk: "d1", read: try .random(), result: Self.genuine)]
    #expect(example.check().problems.count == 1)
  }

  @Test("finds a wrong verdict although desk and stream agree")
  func wrong() throws {
    #expect(try Example("fault-clone", Self.genuine).check().problems.count == 2)
  }

  @Test("finds a read that did not end, ended twice, or took too long")
  func ends() throws {
    var example = try Example("bac", Self.genuine)
    example.entries[1].milliseconds = 1001
    #expect(example.check().problems.count == 1)
    example = try Example("bac", Self.genuine)
    example.entries.append(example.entries[1])
    #expect(example.check().problems.count == 1)
    example.entries.removeLast(2)
    #expect(example.check().problems.count == 1)
  }

  @Test("counts an error of the fleet where it is allowed, and then expects a record only if the desk was told of one")
  func errors() throws {
    var example = try Example("bac", Self.genuine)
    example.records = []
    example.fail(.noInspector)
    #expect(example.check().problems.count == 1)
    #expect(example.check(allowsErrors: true).problems == [])
    #expect(example.check(allowsErrors: true).reported == ["noInspector": 1])
    example.fail(.readIDUsed)
    #expect(example.check(allowsErrors: true).problems.count == 1)
    // The document can be read.
    example.fail(.readFailed)
    #expect(example.check(allowsErrors: true).problems.count == 1)
  }
}

@Suite("The plan and the journal of desks")
struct LoadPlanTests {
  @Test("a process that was killed repeats its unfinished reads under their identifiers, and then goes on")
  func resuming() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("journal")
    let collection = try LoadCollection([.bac, .open])
    let (one, two) = (try #require(DeskName("d1")), try #require(DeskName("d2")))
    let first = LoadPlan(collection.documents, remotePercent: 50)
    first.end(after: 4)
    let journal = try LoadJournal(path: path)
    var begun: [LoadPlan.Assignment] = []
    for desk in [one, two, one] {
      let assignment = try #require(try first.next(for: desk))
      begun.append(assignment)
      try journal.append(
        LoadEntry(
          .began, desk: desk, read: assignment.readID, profile: assignment.document.profile.name,
          mode: assignment.mode))
    }
    try journal.append(LoadEntry(.read, desk: one, read: begun[0].readID, profile: "bac", mode: begun[0].mode))
    #expect(LoadProgress([path]).ended == 2)

    let second = LoadPlan(collection.documents, remotePercent: 50, after: try LoadJournal.entries(path: path))
    second.end(after: 4)
    let repeated = try #require(try second.next(for: two))
    #expect(repeated.readID == begun[1].readID)
    #expect(repeated.mode == begun[1].mode)
    #expect(repeated.document.profile == begun[1].document.profile)
    #expect(try second.next(for: one)?.readID == begun[2].readID)
    let next = try #require(try second.next(for: two))
    #expect(!begun.map(\.readID).contains(next.readID))
    #expect(try second.next(for: one) == nil)
  }

  @Test("reads every document in both ways")
  func modes() throws {
    let collection = try LoadCollection([.bac, .open, .bacExtended])
    let plan = LoadPlan(collection.documents, remotePercent: 20)
    let desk = try #require(DeskName("d1"))
    var modes: [String: Set<FleetReadingMode>] = [:]
    var remote = 0
    for _ in 0..<300 {
      let assignment = try #require(try plan.next(for: desk))
      modes[assignment.document.profile.name, default: []].insert(assignment.mode)
      if assignment.mode == .remote { remote += 1 }
    }
    #expect(modes.count == 3)
    #expect(modes.values.allSatisfy { $0.count == 2 })
    #expect((50...70).contains(remote), "\(remote)")
  }

  @Test("the last line of a journal is left out while it is incomplete")
  func incomplete() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("journal")
    let desk = try #require(DeskName("d1"))
    try LoadJournal(path: path).append(
      LoadEntry(.began, desk: desk, read: try .random(), profile: "bac", mode: .remote))
    try LoadJournal(path: path).append(
      LoadEntry(.failed, desk: desk, read: try .random(), profile: "bac", mode: .remote))
    let bytes = folder.bytes("journal")
    let half = folder.file("half")
    try Data(bytes.dropLast(10)).write(to: URL(fileURLWithPath: half))
    #expect(try LoadJournal.entries(path: half).map(\.event) == [.began])
    #expect(try LoadJournal.entries(path: path).map(\.event) == [.began, .failed])
    #expect(try LoadJournal.entries(path: folder.file("none")).isEmpty)
  }

  @Test("the certificates of all countries together judge each document as its own country does")
  func trust() async throws {
    let names = [
      "bac", "fault-clone", "trust-wrong-hash", "trust-pkd-signer", "trust-rsa-sha256", "trust-wrong-country",
    ]
    let collection = try LoadCollection(try names.map { try #require(ChipProfile(named: $0)) })
    let results = try await collection.localResults()
    for name in names {
      let document = try LabDocument(try #require(ChipProfile(named: name)))
      let report = try await document.localReport(try LabDocument.request())
      #expect(results[document.profile.name]?[.remote] == LoadResult(report.outcome, report.outcomeReason))
    }
  }

  @Test("a saved document is the same in another process")
  func saving() async throws {
    let folder = try TemporaryFolder()
    let collection = try LoadCollection([.mechanisms])
    let document = try #require(collection.documents.first)
    try document.save(in: folder.url.path)
    let saved = try LoadDocument(.mechanisms, in: folder.url.path)
    let request = try LabDocument.request()
    let dumps = [
      try await document.source.withCard { try await Inspection.read($0, request) },
      try await saved.source.withCard { try await Inspection.read($0, request) },
    ]
    // EF.CardAccess lists the same as the chip of the same profile.
    #expect(dumps[0].files.map(\.bytes) == dumps[1].files.map(\.bytes))
    #expect(dumps[0].files.count > 5)
  }
}
