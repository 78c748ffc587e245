import FleetLab
import TesseraFleet
import TesseraVirtualChip
import Testing

extension RealPrograms {
  /// The small form of `Tests/Fleet/FleetLoad/run`: servers, inspectors and desks are processes that are killed or cut off.
  @Suite("A fleet whose parts are killed", .enabled(if: LoadServers.isEnabled))
  struct ChaosTests {
    /// Sound documents with each mechanism, forged and damaged ones, and one that cannot be read.
    private static let profiles = [
      "bac", "bac-extended", "open", "germany-2023", "malaysia-2023", "singapore-2023", "new-zealand-2017",
      "fault-clone", "fault-clone-cam", "fault-signature", "fault-token", "fault-parameters", "trust-wrong-hash",
      "trust-expired-signer", "trust-wrong-country", "trust-pkd-signer", "trust-no-key-usage", "trust-rsa-sha256",
    ]
    /// At least.
    private static let reads = 200
    /// Longer than a desk waits for the beginning of a read, and than a connection stays without an answer.
    private static let isolation = Duration.seconds(8)

    @Test("each read has exactly one record with the right verdict in time, whatever is killed or cut off")
    func killed() async throws {
      let collection = try LoadCollection(try Self.profiles.map { try #require(ChipProfile(named: $0)) })
      let results = try await collection.localResults()
      #expect(Set(results.values.map { $0[.witnessed]?.outcome }) == [.genuine, .notGenuine, .notEstablished, nil])
      let lab = try ChaosLab(collection)
      do {
        try await lab.start()
        var slowest = Duration.zero
        var held: (reads: Set<FleetReadID>, time: Duration) = ([], .zero)
        try await lab.reading {
          try await lab.awaitFurtherReads(Self.reads / 8)
          slowest = .milliseconds(try lab.entries().compactMap(\.milliseconds).max() ?? 0)
          try await Self.killServers(lab)
          try await Self.killDesks(lab)
          held = try await Self.killInspectors(lab)
          try await Self.cutLink(lab)
          try await lab.awaitReads(Self.reads)
        }
        let entries = try lab.entries()
        let records = try await LoadRecords.all(lab.servers, awaiting: entries.count { $0.event == .read })
        // A desk's own limits end a read, whatever fails and however slow the machine is. What they cannot interrupt is
        // computing: that of one step, for which the slowest whole read before the first failure stands. A slower machine
        // has slower reads then, too. Ten times, since other tests may begin meanwhile. The gate is the test's own.
        let limit = LoadCheck.longestRead + slowest * 10 + held.time
        // An error of the fleet is no loss as long as the desk is told.
        let check = LoadCheck(entries, records, results: results, limit: limit, allowsErrors: true)
        #expect(check.problems.isEmpty, "\(check.problems.prefix(10))")
        let reported = check.reported.values.reduce(0, +)
        #expect(check.verdicts + check.unreadable + reported == entries.count { $0.event != .began })
        #expect(check.verdicts > Self.reads / 2, "\(check.reported)")
        // The reads that every inspector lost are repeated or reported, each of them.
        #expect(held.reads.count >= ChaosLab.mainland.count)
        for read in entries where read.event != .began && held.reads.contains(read.read) {
          let isReported = read.event == .failed && read.result != results[read.profile]?[read.mode]
          #expect((read.attempts ?? 1) > 1 || isReported, "\(read)")
        }
        // One at least was lost by its own process.
        #expect(check.repeated + reported > ChaosLab.mainland.count)
      } catch {
        Issue.record(error)
      }
      await lab.stop()
    }

    // MARK: - Failures

    /// Kills the leader of the stream while there are reads, then a follower, and starts each again once the other servers
    /// have stored some.
    private static func killServers(_ lab: ChaosLab) async throws {
      let leader = try await LoadRecords.leader(lab.servers)
      let server = try #require(lab.servers.process(named: leader))
      await server.kill()
      try await lab.eventually { try await LoadRecords.leader(lab.servers) != leader }
      try await lab.awaitFurtherReads(reads / 8)
      try await server.start()
      try await LoadRecords.awaitReplicas(lab.servers)

      let next = try await LoadRecords.leader(lab.servers)
      let follower = try #require(lab.servers.processes.first { $0.name != next })
      await follower.kill()
      try await lab.awaitFurtherReads(reads / 8)
      try await follower.start()
      try await LoadRecords.awaitReplicas(lab.servers)
    }

    /// Kills a process with desks in the middle of a read. The next process repeats that read.
    private static func killDesks(_ lab: ChaosLab) async throws {
      let desks = lab.mortal
      var unfinished: Set<FleetReadID> = []
      while unfinished.isEmpty {
        let before = try lab.entries(of: desks).begun
        try await lab.eventually { try lab.entries(of: desks).begun.count > before.count }
        await desks.kill()
        let entries = try lab.entries(of: desks)
        unfinished = entries.begun.subtracting(entries.ended)
        try await desks.start()
        try desks.begin(endless: true)
      }
      try await lab.eventually { try unfinished.isSubset(of: lab.entries(of: desks).ended) }
      let begins = try lab.entries(of: desks).filter { $0.event == .began }.map(\.read)
      for read in unfinished { #expect(begins.count { $0 == read } == 2) }
    }

    /// Kills each inspector while every desk of this process is in the middle of a read.
    ///
    /// - Returns: these reads, and how long the first of them was held there at most.
    private static func killInspectors(_ lab: ChaosLab) async throws -> (reads: Set<FleetReadID>, time: Duration) {
      let begin = ContinuousClock.now
      lab.gate.close()
      defer { lab.gate.open() }
      await lab.gate.awaitHeld(ChaosLab.mainland.count)
      let entries = try lab.entriesOfMainland()
      for inspector in lab.inspectors { await inspector.kill() }
      lab.gate.open()
      let held = ContinuousClock.now - begin
      for inspector in lab.inspectors { try await inspector.start() }
      return (entries.begun.subtracting(entries.ended), held)
    }

    /// Cuts the line of an inspector and of a process with desks, while the others go on.
    private static func cutLink(_ lab: ChaosLab) async throws {
      for proxy in lab.proxies { proxy.cut() }
      let before = try lab.entries(of: lab.island).judged
      func judged() throws -> Int { try lab.entries(of: lab.island).judged.subtracting(before).count }
      let end = ContinuousClock.now + isolation
      try await lab.awaitFurtherReads(reads / 8)
      try await Task.sleep(until: end)
      // At most those whose answers were on their way when the line was cut.
      #expect(try judged() <= ChaosLab.islanders.count)
      for proxy in lab.proxies { proxy.mend() }
      try await lab.eventually { try judged() > ChaosLab.islanders.count }
    }
  }
}

extension [LoadEntry] {
  /// The reads that have begun.
  fileprivate var begun: Set<FleetReadID> { Set(filter { $0.event == .began }.map(\.read)) }

  /// The reads that have a verdict.
  fileprivate var judged: Set<FleetReadID> { Set(filter { $0.event == .read }.map(\.read)) }

  /// The reads that have a verdict or an error.
  fileprivate var ended: Set<FleetReadID> { Set(filter { $0.event != .began }.map(\.read)) }
}
