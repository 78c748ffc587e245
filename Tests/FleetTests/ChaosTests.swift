import FleetLab
import Foundation
import TesseraFleet
import TesseraNATS
import TesseraThreads
import TesseraVirtualChip
import TestSupport
import Testing

/// The small form of `Tests/FleetLoad/run`: servers and inspectors are processes that are killed.
@Suite("A fleet whose parts are killed", .enabled(if: LoadServers.isEnabled))
struct ChaosTests {
  /// Sound documents with each mechanism, forged and damaged ones, and one that cannot be read.
  private static let profiles = [
    "bac", "bac-extended", "open", "germany-2023", "malaysia-2023", "singapore-2023", "new-zealand-2017",
    "fault-clone", "fault-clone-cam", "fault-signature", "fault-token", "fault-parameters", "trust-wrong-hash",
    "trust-expired-signer", "trust-wrong-country", "trust-pkd-signer", "trust-no-key-usage", "trust-rsa-sha256",
  ]
  private static let deskCount = 8
  /// At least.
  private static let reads = 200

  @Test("each read has exactly one record with the right verdict, whatever server and inspector are killed")
  func killed() async throws {
    let folder = try TemporaryFolder()
    let collection = try LoadCollection(try Self.profiles.map { try #require(ChipProfile(named: $0)) })
    let results = try await collection.localResults()
    #expect(Set(results.values.map { $0[.witnessed]?.outcome }) == [.genuine, .notGenuine, .notEstablished, nil])

    let ports = try (0..<6).map { _ in try ReservedPort() }
    let names = (1...Self.deskCount).map { "d\($0)" }
    let servers = try LoadServers(
      folder: folder.url.path, ports: ports.map { UInt16(clamping: $0.number) }, desks: names,
      workers: ["w1", "w2", "w3"])
    let workers = ["w1", "w2", "w3"].map { LoadWorkers.process($0, servers, folder: folder.url.path) }
    do {
      try await servers.start()
      try await LoadWorkers.prepare(servers, collection.trust, replicas: 3)
      for worker in workers { try await worker.start() }
      let entries = try await read(collection, names, servers, workers, folder)
      let records = try await LoadRecords.all(servers, awaiting: entries.count { $0.event == .read })
      // An error of the fleet is no loss as long as the desk is told. The time is not judged here.
      let check = LoadCheck(entries, records, results: results, limit: .seconds(86_400), allowsErrors: true)
      #expect(check.problems.isEmpty, "\(check.problems.prefix(10))")
      let reported = check.reported.values.reduce(0, +)
      #expect(check.verdicts + check.unreadable + reported == entries.count { $0.event != .began })
      #expect(check.verdicts > Self.reads / 2, "\(check.reported)")
      // Those that every inspector lost.
      #expect(check.repeated >= Self.deskCount)
    } catch {
      Issue.record(error)
    }
    for worker in workers { await worker.kill() }
    await servers.stop()
  }

  /// Reads with all desks, and kills the leader of the stream and the inspectors meanwhile.
  private func read(
    _ collection: LoadCollection, _ names: [String], _ servers: LoadServers, _ workers: [LoadProcess],
    _ folder: TemporaryFolder
  ) async throws -> [LoadEntry] {
    let path = folder.file("desks.jsonl")
    let (journal, progress) = (try LoadJournal(path: path), LoadProgress([path]))
    let plan = LoadPlan(collection.documents, remotePercent: 25)
    let gate = ReadGate()
    var limits = FleetLimits()
    limits.overall = .seconds(1200)
    var connections: [NATSConnection] = []
    var desks: [LoadDesk] = []
    for name in names {
      let connection = try await servers.connectDesk(name)
      connections.append(connection)
      let desk = FleetDesk(connection: connection, name: try #require(DeskName(name)), limits: limits)
      desks.append(LoadDesk(desk, plan, journal) { gate.source(of: $0) })
    }
    try await withThrowingTaskGroup { group in
      for desk in desks { group.addTask { try await desk.run() } }
      group.addTask {
        try await Self.killLeader(servers, progress)
        try await Self.killInspectors(workers, gate)
        plan.end(after: Self.reads)
      }
      try await group.waitForAll()
    }
    for connection in connections { await connection.close() }
    return try LoadJournal.entries(path: path)
  }

  /// Kills the stream's leader while there are reads, and starts it again once another one has stored some.
  private static func killLeader(_ servers: LoadServers, _ progress: LoadProgress) async throws {
    try await awaitReads(reads / 8, progress)
    let leader = try await LoadRecords.leader(servers)
    let server = try #require(servers.process(named: leader))
    await server.kill()
    while try await LoadRecords.leader(servers) == leader { try await Task.sleep(for: .milliseconds(100)) }
    try await awaitReads(progress.ended + reads / 8, progress)
    try await server.start()
    try await LoadRecords.awaitReplicas(servers)
  }

  /// Kills each inspector while every desk is in the middle of a read.
  private static func killInspectors(_ workers: [LoadProcess], _ gate: ReadGate) async throws {
    gate.close()
    defer { gate.open() }
    await gate.awaitHeld(deskCount)
    for worker in workers { await worker.kill() }
    gate.open()
    for worker in workers { try await worker.start() }
  }

  private static func awaitReads(_ count: Int, _ progress: LoadProgress) async throws {
    while progress.ended < count { try await Task.sleep(for: .milliseconds(20)) }
  }
}
