import FleetLab
import FoundationEssentials
import TesseraCore
import TesseraFleet

/// The whole proof: the floor, throughput without failures, reads with failures, and the comparison with the stream.
struct LoadRun {
  private static let inspectors = 4
  private static let desks = 200
  private static let remotePercent = 20

  private let layout: LoadLayout
  private let reads: Int

  init(_ arguments: LoadArguments) throws {
    layout = LoadLayout(folder: try arguments.text(0, "FOLDER"))
    reads = try arguments.number(1, "READS", default: 20_000)
    guard reads >= 100 else { throw Failure(.usage, "READS must be at least 100.") }
  }

  /// - Returns: whether every check passed.
  func run() async throws -> Bool {
    let lab = try await LoadLab.start(layout, desks: Self.desks, inspectors: Self.inspectors)
    do {
      let passed = try await run(lab)
      await lab.stop()
      return passed
    } catch {
      await lab.stop()
      throw error
    }
  }

  private func run(_ lab: LoadLab) async throws -> Bool {
    let results = try await LocalFloor.measure(lab.collection)
    var steady: [LoadEntry] = []
    var rows: [PhaseRow] = []
    Console.say(PhaseRow.header)
    for phase in Self.phases {
      for inspector in lab.inspectors.prefix(phase.inspectors) where !inspector.isRunning {
        try await inspector.start()
      }
      let (row, entries) = try await run(phase, reads: max(phase.desks * 2, reads / 20), lab)
      steady += entries
      rows.append(row)
      Console.say(row.text)
    }
    for line in AddedCost.lines(rows) { Console.say(line) }
    let chaos = try await ChaosRun(
      lab, desks: Self.desks, reads: reads, remotePercent: Self.remotePercent
    ).run()
    Console.say(chaos.row.text)

    let verdicts = (steady + chaos.entries).count { $0.event == .read }
    let records = try await LoadRecords.all(lab.servers, awaiting: verdicts)
    var problems = chaos.problems
    let steadyReads = Set(steady.map(\.read))
    for (name, entries, allowsErrors, part) in [
      ("without failures", steady, false, records.filter { steadyReads.contains($0.read) }),
      ("with failures", chaos.entries, true, records.filter { !steadyReads.contains($0.read) }),
    ] {
      let check = LoadCheck(
        entries, part, results: results, limit: LoadCheck.longestRead, allowsErrors: allowsErrors)
      Console.say(check.text(name))
      problems += check.problems
    }
    Console.say(try await LoadRecords.size(lab.servers))
    problems += MemoryCheck(lab.samples).report()
    for problem in problems.prefix(40) { Console.say("WRONG: \(problem)") }
    Console.say(problems.isEmpty ? "everything is right" : "\(problems.count) problems")
    return problems.isEmpty
  }

  // MARK: - Without failures

  private struct Phase {
    let name: String
    let inspectors: Int
    let desks: Int
  }

  /// The first one fills caches and is in the table for completeness.
  private static let phases = [
    Phase(name: "warm-up", inspectors: 1, desks: 50), Phase(name: "steady", inspectors: 1, desks: 50),
    Phase(name: "steady", inspectors: 2, desks: 50), Phase(name: "steady", inspectors: 4, desks: 50),
    Phase(name: "steady", inspectors: 4, desks: 100), Phase(name: "steady", inspectors: 4, desks: 200),
  ]

  private func run(_ phase: Phase, reads: Int, _ lab: LoadLab) async throws -> (PhaseRow, [LoadEntry]) {
    let name = "\(phase.name)-\(phase.inspectors)-\(phase.desks)"
    let processes = try await lab.startDesks(
      name, desks: phase.desks, reads: reads, remotePercent: Self.remotePercent, profiles: .quick)
    lab.samples.begin()
    let sampling = Task { await lab.samples.run() }
    let begin = ContinuousClock.now
    for process in processes { try process.begin(endless: false) }
    var deskTime = 0
    for process in processes {
      guard let run = await process.running?.finish(within: 3600), run.status == 0 else {
        throw Failure(.serviceUnavailable, "\(process.name) failed: \(process.running?.errors ?? "")")
      }
      deskTime += run.output.split(separator: "\n").last?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
    let time = ContinuousClock.now - begin
    sampling.cancel()
    lab.samples.take()
    let entries = try lab.entries(name, processes)
    let row = PhaseRow(
      name: phase.name, inspectors: phase.inspectors, desks: phase.desks, entries: entries, time: time,
      deskTime: deskTime,
      samples: lab.samples)
    return (row, entries)
  }
}
