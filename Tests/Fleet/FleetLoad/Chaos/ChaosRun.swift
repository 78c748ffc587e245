import FleetLab
import FoundationEssentials
import TesseraCore
import TesseraFleet
import TesseraThreads

/// Many reads, during which one part of the fleet after another fails. They end after the last failure at the earliest.
struct ChaosRun {
  struct Result {
    let row: PhaseRow
    let entries: [LoadEntry]
    let problems: [String]
  }

  private static let phase = "failures"
  /// How long a server that was killed is away.
  private static let absence = Duration.seconds(5)
  /// How long the link is down.
  private static let isolation = Duration.seconds(20)

  private let lab: LoadLab
  private let desks: Int
  private let reads: Int
  private let remotePercent: Int

  init(_ lab: LoadLab, desks: Int, reads: Int, remotePercent: Int) {
    self.lab = lab
    self.desks = desks
    self.reads = reads
    self.remotePercent = remotePercent
  }

  func run() async throws -> Result {
    let processes = try await lab.startDesks(
      Self.phase, desks: desks, reads: reads, remotePercent: remotePercent, profiles: .all, onIsland: 1)
    lab.samples.begin()
    let sampling = Task { await lab.samples.run() }
    defer { sampling.cancel() }
    let begin = ContinuousClock.now
    for process in processes { try process.begin(endless: true) }

    let progress = LoadProgress(lab.journals(Self.phase, processes))
    var problems: [String] = []
    for (number, failure) in Failures.allCases.enumerated() {
      // The last failure leaves time for its end.
      let share = Double(number + 1) / Double(Failures.allCases.count + 2)
      guard try await wait(for: progress, toReach: Int(share * Double(reads)), processes) else {
        problems.append("a process with desks ended before \(failure.rawValue)")
        break
      }
      Console.say("after \(progress.ended) reads: \(failure.rawValue)")
      try await run(failure, processes)
    }
    for process in processes where process.isRunning { try process.end() }
    for process in processes {
      if let run = await process.running?.finish(within: 7200), run.status != 0 {
        problems.append("\(process.name) failed: \(run.errors)")
      }
    }
    let time = ContinuousClock.now - begin
    lab.samples.take()
    let entries = try lab.entries(Self.phase, processes)
    let row = PhaseRow(
      name: Self.phase, inspectors: lab.inspectors.count, desks: desks, entries: entries, time: time,
      deskTime: lab.samples.processorTime("p"), samples: lab.samples)
    return Result(row: row, entries: entries, problems: problems)
  }

  /// Waits until so many reads have ended.
  ///
  /// - Returns: false if one of the processes ends before.
  private func wait(
    for progress: LoadProgress, toReach count: Int, _ processes: [LoadProcess]
  ) async throws -> Bool {
    while progress.ended < count {
      guard processes.allSatisfy(\.isRunning) else { return false }
      try await Task.sleep(for: .milliseconds(500))
    }
    return processes.allSatisfy(\.isRunning)
  }

  // MARK: - Failures

  /// In this order.
  private enum Failures: String, CaseIterable {
    case leader = "SIGKILL to the leader of the stream"
    case follower = "SIGKILL to a follower of the stream"
    case inspector = "SIGKILL to an inspector"
    case desks = "SIGKILL to a process with desks"
    case network = "the link of one inspector and of one process with desks is down"
  }

  private func run(_ failure: Failures, _ processes: [LoadProcess]) async throws {
    switch failure {
    case .leader, .follower:
      let leader = try await LoadRecords.leader(lab.servers)
      let server =
        failure == .leader ? lab.servers.process(named: leader) : lab.servers.processes.first { $0.name != leader }
      guard let server else { throw Failure(.serviceUnavailable, "The stream's leader \(leader) is unknown.") }
      await server.kill()
      try await Task.sleep(for: Self.absence)
      try await server.start()
    case .inspector:
      guard let inspector = lab.inspectors.dropFirst().first else { return }
      await inspector.kill()
      try await inspector.start()
    case .desks:
      guard let process = processes.dropFirst().first else { return }
      await process.kill()
      try await process.start()
      try process.begin(endless: true)
    case .network:
      try await lab.island.set(linkUp: false)
      try await Task.sleep(for: Self.isolation)
      try await lab.island.set(linkUp: true)
    }
  }
}
