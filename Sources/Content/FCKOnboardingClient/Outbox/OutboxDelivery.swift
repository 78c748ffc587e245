internal import FoundationEssentials
internal import Logging
import TesseraThreads

/// Sends the entries of an outbox one after another, in their order, and removes each when the server has it.
///
/// It begins when it is told to. After a failure it tries again later: after 5 seconds, then after twice as long each
/// time, at most after 15 minutes. An empty outbox causes no work.
actor OutboxDelivery {
  static let firstDelay = Duration.seconds(5)
  static let longestDelay = Duration.seconds(15 * 60)
  /// Entries that no server took for 30 days are dropped.
  static let longestAge: TimeInterval = 30 * 24 * 60 * 60

  private let outbox: Outbox
  private let reports: CompletionReports
  private let api: FCKAPIClient
  private let services: OnboardingServices
  /// Files are read and removed on a thread of their own.
  private let work: BlockingWork
  private var logger: Logger { services.logger }

  private var running: Task<Void, Never>?
  /// Whether an entry may have been added since the last look.
  private var isWanted = false
  private var retry: Task<Void, Never>?
  private var failures = 0
  /// Whether only the end of the wait begins again.
  private var isPostponed = false
  private var isStopped = false
  /// Entries that the server has, and whose files could not be removed. They are not sent again. A later entry has
  /// another name.
  private var delivered: Set<Outbox.Name> = []
  /// Events that could not be written. They are sent while this process lives.
  private var unstored: [OutboxEntry] = []
  private static let maximumUnstored = 100

  init(
    _ outbox: Outbox, _ reports: CompletionReports, api: FCKAPIClient, services: OnboardingServices, work: BlockingWork
  ) {
    self.outbox = outbox
    self.reports = reports
    self.api = api
    self.services = services
    self.work = work
  }

  deinit { retry?.cancel() }

  /// Begins to send, unless the server asked to wait. Does not wait for the end.
  func start() {
    isWanted = true
    guard running == nil, !isPostponed, !isStopped else { return }
    retry?.cancel()
    retry = nil
    running = Task { await run() }
  }

  /// Keeps an event that could not be written.
  func keep(_ entry: OutboxEntry) {
    unstored.append(entry)
    unstored.removeFirst(max(0, unstored.count - Self.maximumUnstored))
  }

  /// Forgets the events that could not be written.
  func clear() { unstored = [] }

  /// Sends no further entry. The one that is on its way is not interrupted: whether the server has it would be unknown.
  func stop() {
    isStopped = true
    retry?.cancel()
    retry = nil
  }

  /// Waits until nothing is being sent.
  func waitUntilIdle() async {
    while let running { await running.value }
  }

  private func run() async {
    var outcome = SendingOutcome.accepted
    while isWanted, !isStopped {
      isWanted = false
      outcome = await drain()
      if outcome != .accepted { break }
    }
    running = nil
    guard outcome != .accepted, !isStopped else {
      failures = 0
      return
    }
    isPostponed = outcome == .postponed
    waitForRetry()
  }

  /// Sends all entries.
  ///
  /// - Returns: `accepted` if none is left that can be sent.
  private func drain() async -> SendingOutcome {
    let reports = reports
    var outcome = await drainFiles()
    if outcome == .accepted { outcome = await drainMemory() }
    guard outcome == .accepted else { return outcome }
    // What the outbox could not take, it may take later.
    return await work.value { reports.stored.isEmpty } ? .accepted : .unreachable
  }

  private func drainFiles() async -> SendingOutcome {
    do {
      let outbox = outbox
      _ = await moveReports()
      guard try await !work.run({ try outbox.names() }).allSatisfy(delivered.contains) else { return .accepted }
      // Another process that sends may have looked before the last entry was added.
      guard let lock = try await work.run({ SendingLock(folder: outbox.folder) }) else { return .unreachable }
      defer { withExtendedLifetime(lock) {} }
      while !isStopped, let name = try await nextName() {
        // Another process may be about to move this entry. If it crashes after the entry was sent, the entry would be
        // added again.
        guard await !moveReports().contains(name.id) else { return .unreachable }
        let entry = try await work.run { try outbox.entry(name) }
        let outcome = await send(entry)
        guard isSettled(outcome) else { return outcome }
        await remove(name)
      }
      return .accepted
    } catch {
      logger.error("The reports to the onboarding server cannot be read. \(OnboardingLog.cause(error))")
      // Nothing says that this ends, so no wait begins. The next report looks again.
      return .accepted
    }
  }

  /// Moves what is in the record only.
  ///
  /// - Returns: the ids of what the record has afterwards.
  private func moveReports() async -> Set<String> {
    let reports = reports
    return await work.value { reports.move() }
  }

  private func drainMemory() async -> SendingOutcome {
    let reports = reports
    while !isStopped, let entry = await nextUnstored() {
      let outcome = await send(entry)
      guard isSettled(outcome) else { return outcome }
      if let index = unstored.firstIndex(where: { $0.id == entry.id }) {
        unstored.remove(at: index)
      } else {
        for name in await work.value({ reports.forget(entry.id) }) { await remove(name) }
      }
    }
    return .accepted
  }

  /// The oldest event or report of a completion that could not be written.
  private func nextUnstored() async -> OutboxEntry? {
    let reports = reports
    let ofCompletions = await work.value { reports.unstored }
    return (unstored + ofCompletions).min { $0.time < $1.time }
  }

  /// Whether the entry needs no further attempt.
  private func isSettled(_ outcome: SendingOutcome) -> Bool {
    switch outcome {
    case .accepted: failures = 0
    case .refused(let status):
      logger.warning("The server refused a report (HTTP status \(status)). It is dropped.")
    case .unreachable, .postponed: return false
    }
    return true
  }

  private func nextName() async throws -> Outbox.Name? {
    let outbox = outbox
    return try await work.run { try outbox.names() }.first { !delivered.contains($0) }
  }

  /// - Parameter entry: nil for a damaged one, which is dropped.
  private func send(_ entry: OutboxEntry?) async -> SendingOutcome {
    guard let entry else {
      logger.warning("A report to the onboarding server is damaged. It is dropped.")
      return .accepted
    }
    guard services.now().timeIntervalSince(entry.time) < Self.longestAge else {
      logger.warning("A report to the onboarding server is older than 30 days. It is dropped.")
      return .accepted
    }
    do {
      try await api.send(entry.body, as: entry.kind, id: entry.id)
      return .accepted
    } catch {
      logger.debug("A report was not sent. \(OnboardingLog.cause(error))")
      return SendingOutcome(error)
    }
  }

  private func remove(_ name: Outbox.Name) async {
    do {
      let outbox = outbox
      try await work.run { try outbox.remove(name) }
    } catch {
      delivered.insert(name)
      logger.error("A report that was sent cannot be removed. \(OnboardingLog.cause(error))")
    }
  }

  private func waitForRetry() {
    let delay = min(Self.firstDelay * (1 << min(failures, 10)), Self.longestDelay)
    failures += 1
    retry?.cancel()
    retry = Task { [weak self, pause = services.pause] in
      guard (try? await pause(delay)) != nil, !Task.isCancelled else { return }
      await self?.retryNow()
    }
  }

  private func retryNow() {
    isPostponed = false
    retry = nil
    start()
  }
}
