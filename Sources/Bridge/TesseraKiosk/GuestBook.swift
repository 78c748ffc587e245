package import TesseraBridge
package import TesseraCore
package import TesseraHTTPClient
package import TesseraLinuxProviders
internal import TesseraThreads
package import TesseraVerification

/// What becomes of the results of a kiosk: each is signed and kept, delivered, and given to the receipt's program.
package final class GuestBook: Sendable {
  /// Where results go.
  package enum Destination: Sendable {
    /// They stay in this folder, which others take them from.
    case folder(String)
    /// They are delivered to a server, and wait in the folder until it has them.
    case server(HTTPSAddress, outbox: String)
  }

  package struct Settings: Sendable {
    /// The name of the kiosk, for whoever receives results.
    package var kiosk: String
    /// The members of `GuestResult.members` that results have.
    package var disclosed = GuestResult.members
    package var destination: (Destination, ResultSigner)?
    package var receipt: ReceiptProgram?
    /// Whether documents are those of the virtual chip, which results then say.
    package var isVirtual = false
    /// The folders in which results wait that cannot be written, the quickest first; see `ResultSpool`.
    package var spool: [String] = []
    /// Notices a wrong clock.
    package var clock: ClockWatch?
    /// Counts verdicts and results.
    package var metrics: KioskMetrics?

    package init(kiosk: String) { self.kiosk = kiosk }

    /// Whether anything becomes of results.
    package var hasEffect: Bool { destination != nil || receipt != nil }
  }

  /// Where a result is that is not in its folder yet.
  enum Whereabouts: Equatable {
    case memory
    case spool(folder: String)
  }

  /// A guest waits for the verdict no longer than this, whatever becomes of the result.
  private static let patience = Duration.seconds(5)
  /// What is in memory at the end has this long to get to the disk.
  private static let lastTries = Duration.seconds(5)

  package let status: KioskStatus
  let settings: Settings
  private let keeper: ResultKeeper?
  private let delivery: ResultDelivery?
  /// Where results wait for their delivery.
  let outbox: ResultFolder?
  private let log: @Sendable (String) -> Void
  /// The results that are not in their folder yet, by their identifiers.
  let open = Locked<[String: Whereabouts]>([:])
  private let receipts = AsyncStream.makeStream(of: GuestResult.self, bufferingPolicy: .bufferingOldest(1_000))

  /// - Parameters:
  ///   - transport: sends the requests of the delivery.
  ///   - log: receives sentences for the operator, which contain nothing of a document, at most the year of a signature.
  /// - Throws: `Failure` of the kind `serviceUnavailable` if another process uses the folder of the results. One that cannot
  ///   be written is no reason to turn guests away: the log says so, and results wait.
  package init(
    _ settings: Settings, status: KioskStatus = KioskStatus(), transport: any HTTPTransport = HTTPSClient(),
    log: @escaping @Sendable (String) -> Void
  ) throws(Failure) {
    self.settings = settings
    self.status = status
    self.log = log
    Self.look(at: settings.clock, status, log)
    guard let (destination, signer) = settings.destination else {
      (keeper, delivery, outbox) = (nil, nil, nil)
      return
    }
    let metrics = settings.metrics
    let folder =
      switch destination {
      case .folder(let path): ResultFolder(path: path)
      case .server(let address, let path): ResultFolder(path: path, address: address.text)
      }
    let owner = FolderOwner(folder)
    try Self.begin(folder, owner, log)
    if case .server(let address, _) = destination {
      delivery = ResultDelivery(
        folder: folder, owner: owner, signer: signer, address: address, transport: transport
      ) { [said = Locked<Set<String>>([])] event in
        if case .delivered = event { metrics?.deliveredResult() }
        // The same reason once, and not at each of its tries, until a result is delivered.
        let isNew = said.withLock { said in
          guard let reason = event.reason else {
            said = []
            return true
          }
          // A server can give a new reason each time.
          if said.count >= 100 { said = [] }
          return said.insert(reason).inserted
        }
        if isNew { log(event.sentence) }
      }
      outbox = folder
    } else {
      (delivery, outbox) = (nil, nil)
    }
    let delivery = delivery
    let open = open
    let spool = settings.spool.isEmpty ? nil : ResultSpool(folders: settings.spool)
    keeper = ResultKeeper(folder: folder, owner: owner, signer: signer, spool: spool) { event in
      if let sentence = event.sentence { log(sentence) }
      switch event {
      case .kept(let identifier, let waiting):
        open.withLock { _ = $0.removeValue(forKey: identifier) }
        status.waiting = waiting
        metrics?.storedResult()
        Task { await delivery?.wake() }
      case .notKept(_, let waiting, _):
        status.waiting = waiting
        metrics?.changed()
      case .lost(let identifier):
        open.withLock { _ = $0.removeValue(forKey: identifier) }
        metrics?.lostResults(1)
      case .parked(let identifier, let folder): open.withLock { $0[identifier] = .spool(folder: folder) }
      case .notRemoved: break
      }
    }
  }

  /// Takes the folder, and finds out at the start and not with the first guest that it cannot be written.
  private static func begin(_ folder: ResultFolder, _ owner: FolderOwner, _ log: (String) -> Void) throws(Failure) {
    do {
      try owner.take()
      try folder.probe()
    } catch {
      let failure = Failure(error)
      if failure.kind == .serviceUnavailable { throw failure }
      log("Results cannot be stored now, and wait: \(failure.description)")
    }
  }

  /// The page shows a wrong clock as long as it is wrong; the log says it once.
  private static func look(at clock: ClockWatch?, _ status: KioskStatus, _ log: (String) -> Void) {
    guard let clock else { return }
    let isRight = clock.isRight()
    // The page learns changes only: the metrics compare it every minute.
    if status.isClockRight != isRight { status.isClockRight = isRight }
    if let problem = clock.news() { log(problem.description) }
  }

  /// Compares the clock with the lists that the operator imported.
  package func compareClock(with dates: TrustDates) {
    settings.clock?.learn(from: dates)
    Self.look(at: settings.clock, status, log)
  }

  /// Records one read. Returns when the result is on the disk, or after some seconds.
  package func record(_ scan: NfcScanResult) async {
    settings.metrics?.judged(scan.verification?.outcome, .passport)
    settings.clock?.learn(from: scan)
    Self.look(at: settings.clock, status, log)
    let result = GuestResult(
      scan, disclosed: settings.disclosed, kiosk: settings.kiosk, isVirtual: settings.isVirtual)
    if let keeper {
      open.withLock { $0[result.identifier] = .memory }
      // Goes on when the page is gone, which cancels the scan.
      let keeping = Task { _ = await keeper.keep(result) }
      _ = try? await withTimeLimit(Self.patience) { await keeping.value }
    }
    if settings.receipt != nil, case .dropped = receipts.continuation.yield(result) {
      log("Result \(result.identifier) has no receipt: too many wait for the receipt's program.")
    }
  }

  /// Writes what waits, for some seconds, before the process ends. The log says how many still wait in the spool, and how
  /// many are lost.
  package func finish() async {
    guard let keeper else { return }
    let flushing = Task { [open] in
      while !Task.isCancelled {
        await keeper.flush()
        guard !open.withLock(\.isEmpty) else { return }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
    _ = try? await withTimeLimit(Self.lastTries) { await flushing.value }
    flushing.cancel()
    let left = open.withLock { Array($0.values) }
    let lost = left.count { $0 == .memory }
    if lost > 0 { settings.metrics?.lostResults(lost) }
    if lost > 0 { log("\(counted(lost, "result")) could not be stored, and \(lost == 1 ? "is" : "are") lost.") }
    let folders = left.compactMap { if case .spool(let folder) = $0 { folder } else { nil } }
    if let folder = folders.last {
      let verb = folders.count == 1 ? "waits" : "wait"
      log("\(counted(folders.count, "result")) could not be stored, and \(verb) in \(folder) for the next start.")
    }
  }

  /// Writes what an earlier process left in the spool, delivers results and runs the receipt's program, until the task is
  /// cancelled. Called once.
  package func run() async {
    await withTaskGroup { group in
      if let keeper {
        group.addTask { [log] in
          for other in await keeper.waitingElsewhere() { log(other.sentence) }
          let count = await keeper.recover()
          if count > 0 { log("\(counted(count, "result")) of an earlier process had not been stored.") }
        }
      }
      if let delivery { group.addTask { await delivery.run() } }
      if let program = settings.receipt {
        let results = receipts.stream
        group.addTask { [log] in
          for await result in results {
            let end = await program.run(result.json)
            if end != .exited(0) { log(end.sentence(result.identifier)) }
          }
        }
      }
    }
  }
}
