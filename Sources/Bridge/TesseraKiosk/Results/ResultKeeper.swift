package import TesseraCore
package import TesseraThreads

/// Signs results and writes them into their folder. What cannot be written, since the disk is full or the key does not
/// answer, waits in the spool and in memory and is tried again until it is written.
package actor ResultKeeper {
  /// What becomes of results, for the log and the page.
  package enum Event: Sendable, Equatable {
    /// The result is on the disk. `waiting` counts those that are in memory only.
    case kept(identifier: String, waiting: Int)
    /// It waits, and is tried again after this time. Said for each result, and again when the reason is another one.
    case notKept(Failure, waiting: Int, next: Duration)
    /// The oldest result in memory was given up, since there are too many.
    case lost(identifier: String)
    /// It outlives this program in this folder of the spool.
    case parked(identifier: String, folder: String)
    /// It is in its folder, and could not be removed from this one of the spool: the next start would keep it again.
    case notRemoved(identifier: String, folder: String, Failure)
  }

  private let folder: ResultFolder
  private let owner: FolderOwner?
  private let signer: ResultSigner
  private let spool: ResultSpool?
  private let backoff: Backoff
  private let clock: any MonotonicClock
  /// The most results in memory.
  private let most: Int
  private let report: @Sendable (Event) -> Void
  private var waiting: [GuestResult] = []
  /// The identifiers of all that are not written yet, also of those that are being signed.
  private var open: Set<String> = []
  /// The identifiers of those that are in the spool.
  private var parked: Set<String> = []
  private var nextTry: ContinuousClock.Instant?
  /// What the log has said of the failure.
  private var said: String?
  private var retry: Task<Void, Never>?
  private var isWriting = false
  private nonisolated let executor = ThreadExecutor(name: "kiosk-results")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - owner: takes the folder before the first write; nil if nobody else uses it.
  ///   - spool: where results wait; nil if they wait in memory only.
  ///   - most: how many results are in memory before the oldest is given up.
  ///   - report: called on the thread of the keeper.
  package init(
    folder: ResultFolder, owner: FolderOwner? = nil, signer: ResultSigner, spool: ResultSpool? = nil,
    backoff: Backoff = Backoff(longest: .seconds(60)),
    clock: any MonotonicClock = ContinuousClock(), most: Int = 1_000, report: @escaping @Sendable (Event) -> Void
  ) {
    self.folder = folder
    self.owner = owner
    self.signer = signer
    self.spool = spool
    self.backoff = backoff
    self.clock = clock
    self.most = most
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
    open.insert(result.identifier)
    // Before the key is asked, which may take its time.
    park(result, everywhere: false)
    do {
      try await write(result)
      settle(result)
      report(.kept(identifier: result.identifier, waiting: waiting.count))
      // There is space again, or the key answers: the others do not wait for their next try. The guest does not wait for
      // them.
      if !waiting.isEmpty { Task { await writeWaiting() } }
      return true
    } catch {
      park(result, everywhere: true)
      waiting.append(result)
      giveUpTooMany()
      let next = nextTry.map { clock.now.duration(to: $0) } ?? backoff.delay(after: 1)
      said = Failure(error).description
      report(.notKept(Failure(error), waiting: waiting.count, next: max(next, .zero)))
      if retry == nil { retry = Task { await tryAgain() } }
      return false
    }
  }

  private func park(_ result: GuestResult, everywhere: Bool) {
    guard let folder = spool?.park(result, everywhere: everywhere) else { return }
    parked.insert(result.identifier)
    report(.parked(identifier: result.identifier, folder: folder))
  }

  /// The result is in its folder.
  private func settle(_ result: GuestResult) {
    for place in spool?.remove(result) ?? [] {
      report(.notRemoved(identifier: result.identifier, folder: place.folder, place.failure))
    }
    parked.remove(result.identifier)
    open.remove(result.identifier)
    said = nil
  }

  /// An oldest one that is in the spool waits there for the next start.
  private func giveUpTooMany() {
    guard waiting.count > most else { return }
    let oldest = waiting.removeFirst()
    open.remove(oldest.identifier)
    if parked.remove(oldest.identifier) == nil { report(.lost(identifier: oldest.identifier)) }
  }

  /// Takes what earlier processes left in the spool, and writes it.
  ///
  /// - Returns: how many that are.
  package func recover() async -> Int {
    guard let spool else { return 0 }
    let found = spool.parked(upTo: most).filter { !open.contains($0.identifier) }
    guard !found.isEmpty else { return 0 }
    open.formUnion(found.map(\.identifier))
    parked.formUnion(found.map(\.identifier))
    waiting = found + waiting
    for result in found { park(result, everywhere: false) }
    await writeWaiting()
    if !waiting.isEmpty, retry == nil { retry = Task { await tryAgain() } }
    return found.count
  }

  /// The folders of kiosks with other options that have results, and how many; see `ResultSpool`.
  func waitingElsewhere() -> [ResultSpool.Others] { spool?.elsewhere() ?? [] }

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
    while !waiting.isEmpty {
      nextTry = clock.now + backoff.delay(after: failures)
      guard (try? await clock.sleep(for: backoff.delay(after: failures))) != nil else { break }
      failures += 1
      await writeWaiting(next: backoff.delay(after: failures))
    }
    nextTry = nil
    retry = nil
    // A result that arrived after the last look and before this line.
    if !waiting.isEmpty, !Task.isCancelled { retry = Task { await tryAgain() } }
  }

  /// Writes as many as can be written. The first failure counts for all.
  ///
  /// - Parameter next: after which time they are tried again.
  private func writeWaiting(next: Duration? = nil) async {
    // Two at once would write each result twice, perhaps again after its delivery.
    guard !isWriting else { return }
    isWriting = true
    defer { isWriting = false }
    while let result = waiting.first {
      do {
        try await write(result)
        waiting.removeAll { $0.identifier == result.identifier }
        settle(result)
        report(.kept(identifier: result.identifier, waiting: waiting.count))
      } catch {
        let failure = Failure(error)
        guard said != failure.description else { return }
        said = failure.description
        report(.notKept(failure, waiting: waiting.count, next: next ?? backoff.delay(after: 1)))
        return
      }
    }
  }
}
