package import TesseraCore
package import TesseraThreads

/// Signs results and writes them into their folder. What cannot be written, since the disk is full or the key does not
/// answer, stays in memory and is tried again until it is written.
package actor ResultKeeper {
  /// What becomes of results, for the log and the page.
  package enum Event: Sendable, Equatable {
    /// The result is on the disk. `waiting` counts those that are in memory only.
    case kept(identifier: String, waiting: Int)
    /// It is in memory only.
    case notKept(Failure, waiting: Int)
    /// The oldest result in memory was given up, since there are too many.
    case lost(identifier: String)
  }

  /// The most results in memory.
  private static let most = 1_000

  private let folder: ResultFolder
  private let owner: FolderOwner?
  private let signer: ResultSigner
  private let backoff: Backoff
  private let clock: any MonotonicClock
  private let report: @Sendable (Event) -> Void
  private var waiting: [GuestResult] = []
  private var retry: Task<Void, Never>?
  private nonisolated let executor = ThreadExecutor(name: "kiosk-results")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - owner: takes the folder before the first write; nil if nobody else uses it.
  ///   - report: called on the thread of the keeper.
  package init(
    folder: ResultFolder, owner: FolderOwner? = nil, signer: ResultSigner,
    backoff: Backoff = Backoff(longest: .seconds(60)),
    clock: any MonotonicClock = ContinuousClock(), report: @escaping @Sendable (Event) -> Void
  ) {
    self.folder = folder
    self.owner = owner
    self.signer = signer
    self.backoff = backoff
    self.clock = clock
    self.report = report
  }

  deinit { executor.stop() }

  /// How many results are in memory only.
  package var waitingCount: Int { waiting.count }

  /// Keeps the result.
  ///
  /// - Returns: whether it is on the disk now. Otherwise it is tried again.
  @discardableResult
  package func keep(_ result: GuestResult) async -> Bool {
    do {
      try await write(result)
      report(.kept(identifier: result.identifier, waiting: waiting.count))
      return true
    } catch {
      waiting.append(result)
      if waiting.count > Self.most { report(.lost(identifier: waiting.removeFirst().identifier)) }
      report(.notKept(Failure(error), waiting: waiting.count))
      if retry == nil { retry = Task { await tryAgain() } }
      return false
    }
  }

  private func write(_ result: GuestResult) async throws {
    let signature = try await signer.signature(of: result.json)
    try owner?.take()
    try folder.write(result, signature: signature)
  }

  /// Tries what waits again and again, until nothing waits or the task is cancelled.
  package func flush() async {
    retry?.cancel()
    while !waiting.isEmpty, !Task.isCancelled {
      await writeWaiting()
      guard !waiting.isEmpty else { return }
      _ = try? await clock.sleep(for: .milliseconds(500))
    }
  }

  private func tryAgain() async {
    var failures = 1
    while !waiting.isEmpty, (try? await clock.sleep(for: backoff.delay(after: failures))) != nil {
      await writeWaiting()
      failures += 1
    }
    retry = nil
    // A result that arrived after the last look and before this line.
    if !waiting.isEmpty, !Task.isCancelled { retry = Task { await tryAgain() } }
  }

  /// Writes as many as can be written. The first failure counts for all.
  private func writeWaiting() async {
    while let next = waiting.first {
      do {
        try await write(next)
        waiting.removeAll { $0.identifier == next.identifier }
        report(.kept(identifier: next.identifier, waiting: waiting.count))
      } catch {
        report(.notKept(Failure(error), waiting: waiting.count))
        return
      }
    }
  }
}
