package import TesseraBridge
package import TesseraCore
package import TesseraHTTPClient
internal import TesseraThreads

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
    /// Notices a wrong clock.
    package var clock: ClockWatch?

    package init(kiosk: String) { self.kiosk = kiosk }

    /// Whether anything becomes of results.
    package var hasEffect: Bool { destination != nil || receipt != nil }
  }

  /// A guest waits for the verdict no longer than this, whatever becomes of the result.
  private static let patience = Duration.seconds(5)
  /// What is in memory at the end has this long to get to the disk.
  private static let lastTries = Duration.seconds(5)

  package let status: KioskStatus
  private let settings: Settings
  private let keeper: ResultKeeper?
  private let delivery: ResultDelivery?
  private let log: @Sendable (String) -> Void
  /// How many results are on their way to the keeper.
  private let arriving = Locked(0)
  private let receipts = AsyncStream.makeStream(of: GuestResult.self, bufferingPolicy: .bufferingOldest(1_000))

  /// - Parameters:
  ///   - transport: sends the requests of the delivery.
  ///   - log: receives sentences for the operator, which contain nothing of a document.
  /// - Throws: `Failure` of the kind `serviceUnavailable` if another process uses the folder of the results. One that cannot
  ///   be written is no reason to turn guests away: the log says so, and results wait in memory.
  package init(
    _ settings: Settings, status: KioskStatus = KioskStatus(), transport: any HTTPTransport = HTTPSClient(),
    log: @escaping @Sendable (String) -> Void
  ) throws(Failure) {
    self.settings = settings
    self.status = status
    self.log = log
    if let clock = settings.clock, !clock.isRight() { Self.tellClock(clock, status, log) }
    guard let (destination, signer) = settings.destination else {
      (keeper, delivery) = (nil, nil)
      return
    }
    let folder =
      switch destination {
      case .folder(let path), .server(_, let path): ResultFolder(path: path)
      }
    let owner = FolderOwner(folder)
    try Self.begin(folder, owner, log)
    if case .server(let address, _) = destination {
      delivery = ResultDelivery(
        folder: folder, owner: owner, signer: signer, address: address, transport: transport
      ) { log($0.sentence) }
    } else {
      delivery = nil
    }
    let delivery = delivery
    keeper = ResultKeeper(folder: folder, owner: owner, signer: signer) { event in
      log(event.sentence)
      switch event {
      case .kept(_, let waiting):
        status.waiting = waiting
        Task { await delivery?.wake() }
      case .notKept(_, let waiting): status.waiting = waiting
      case .lost: break
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
      log("Results cannot be stored now, and wait in memory: \(failure.description)")
    }
  }

  private static func tellClock(_ clock: ClockWatch, _ status: KioskStatus, _ log: (String) -> Void) {
    status.isClockRight = false
    log(
      "The clock of this machine is wrong: it is earlier than the time in \(PrintableText.of(clock.path)), which is from a "
        + "document. Set the clock, or remove the file if that time is in the future.")
  }

  /// Records one read. Returns when the result is on the disk, or after some seconds.
  package func record(_ scan: NfcScanResult) async {
    if let clock = settings.clock {
      clock.learn(from: scan)
      if clock.isRight() { status.isClockRight = true } else { Self.tellClock(clock, status, log) }
    }
    let result = GuestResult(
      scan, disclosed: settings.disclosed, kiosk: settings.kiosk, isVirtual: settings.isVirtual)
    if let keeper {
      arriving.withLock { $0 += 1 }
      // Goes on when the page is gone, which cancels the scan.
      let keeping = Task { [arriving] in
        await keeper.keep(result)
        arriving.withLock { $0 -= 1 }
      }
      _ = try? await withTimeLimit(Self.patience) { await keeping.value }
    }
    if settings.receipt != nil, case .dropped = receipts.continuation.yield(result) {
      log("Result \(result.identifier) has no receipt: too many wait for the receipt's program.")
    }
  }

  /// Writes what is in memory only, for some seconds, before the process ends. The log says how many are lost.
  package func finish() async {
    guard let keeper else { return }
    let flushing = Task { [arriving] in
      while !Task.isCancelled {
        await keeper.flush()
        guard arriving.withLock({ $0 }) > 0 else { return }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
    _ = try? await withTimeLimit(Self.lastTries) { await flushing.value }
    flushing.cancel()
    let lost = status.waiting + arriving.withLock { $0 }
    if lost > 0 { log("\(lost) results could not be stored, and are lost.") }
  }

  /// Delivers results and runs the receipt's program, until the task is cancelled. Called once.
  package func run() async {
    await withTaskGroup { group in
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

extension ResultKeeper.Event {
  fileprivate var sentence: String {
    switch self {
    case .kept(let identifier, let waiting):
      "Result \(identifier) is stored." + (waiting == 0 ? "" : " \(waiting) are not stored yet.")
    case .notKept(let failure, let waiting):
      "A result is not stored, and tried again; \(waiting) in memory: \(failure.description)"
    case .lost(let identifier): "Result \(identifier) is lost: too many could not be stored."
    }
  }
}

extension ResultDelivery.Event {
  fileprivate var sentence: String {
    switch self {
    case .delivered(let identifier): "Result \(identifier) is delivered."
    case .notRemoved(let identifier, let failure):
      "Result \(identifier) is delivered, and could not be removed: \(failure.description)"
    case .unreadable(let identifier, let failure):
      "Result \(identifier) cannot be delivered now: \(failure.description)"
    case .refused(let identifier, let status):
      "The server refused result \(identifier) with the status \(status). It is sent again later."
    case .away(let failure, let waiting): "\(waiting) results wait for their delivery: \(failure.description)"
    }
  }
}

extension ReceiptProgram.End {
  fileprivate func sentence(_ identifier: String) -> String {
    switch self {
    case .exited(let status): "The receipt's program ended with the status \(status) for result \(identifier)."
    case .timedOut: "The receipt's program did not end in time for result \(identifier), and was killed."
    case .notStarted: "The receipt's program could not be started for result \(identifier)."
    }
  }
}
