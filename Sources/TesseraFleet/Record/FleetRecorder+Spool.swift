internal import TesseraEncryptedStorage
internal import TesseraNATS
internal import TesseraThreads

extension FleetRecorder {
  private static var firstPause: Duration { .milliseconds(250) }
  private static var longestPause: Duration { .seconds(30) }

  /// Sends what is in the spool: at first, when a record was left there, when the connection is there again, and in
  /// growing intervals while records wait. Returns when the task is cancelled.
  package func run() async {
    var pause = Self.firstPause
    while !Task.isCancelled {
      if await sendSpooled() {
        pause = Self.firstPause
        await wakeUp.wait(atMost: nil)
      } else {
        await wakeUp.wait(atMost: pause)
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  /// - Returns: whether nothing waits any more.
  private func sendSpooled() async -> Bool {
    let names: [SpoolName]
    do {
      names = take(try await spool.list())
    } catch {
      note(error, "The spool cannot be read.", nil)
      return false
    }
    var isEmpty = true
    for name in names {
      guard !Task.isCancelled else { return false }
      // One that is under way wakes this function if it fails.
      let isForLater = state.withLock { $0.underWay.contains(name) || $0.unreadable[name] != nil }
      guard !isForLater, let record = await readable(name, &isEmpty) else { continue }
      do {
        try await send(record, name)
      } catch let error as NATSError where error.concernsAll {
        note(error, "The stream does not take the records of the spool.", nil)
        return false
      } catch {
        note(error, "A record of the spool was not sent.", record)
        isEmpty = false
      }
    }
    return isEmpty
  }

  private func send(_ record: ReadRecord, _ name: SpoolName) async throws {
    switch try await sender.send(record) {
    case .stored:
      try await removeFromSpool(name)
    case .conflict:
      logger.error(
        "The stream has another record of a read. This one stays here.", metadata: ["read": "\(record.readID)"])
      try await spool.setAside(record, name)
      state.withLock { state in
        state.waiting.remove(name)
        state.refused += 1
      }
    }
  }

  /// A record; nil if it is gone or cannot be read. One that cannot be read stays for who can, and blocks no other.
  private func readable(_ name: SpoolName, _ isEmpty: inout Bool) async -> ReadRecord? {
    let problem: SpooledRecord.Problem
    do {
      if let record = try await spool.record(name) { return record }
      state.withLock { _ = $0.waiting.remove(name) }
      return nil
    } catch let error as SpooledRecord.Problem {
      problem = error
    } catch StorageError.damaged {
      problem = .malformed
    } catch StorageError.unknownVersion {
      problem = .laterVersion
    } catch {
      note(error, "A record of the spool cannot be read now.", nil)
      isEmpty = false
      return nil
    }
    state.withLock { $0.unreadable[name] = problem }
    switch problem {
    case .laterVersion: logger.error("A record of the spool is of a later version of Tessera. It stays there.")
    case .malformed: logger.error("A record of the spool is damaged. It stays there.")
    }
    return nil
  }

  /// - Returns: what is in the spool, and what this process knows of: another one may have removed it.
  private func take(_ listing: RecordSpool.Listing) -> [SpoolName] {
    let (names, isDamaged) = state.withLock { state in
      let isDamaged = listing.damaged > state.damaged
      let gone = Set(state.unreadable.keys).subtracting(listing.waiting)
      state.unreadable = state.unreadable.filter { !gone.contains($0.key) }
      state.waiting.subtract(gone)
      state.waiting.formUnion(listing.waiting)
      state.refused = listing.refused
      state.damaged = listing.damaged
      return (state.waiting.sorted { $0.text < $1.text }, isDamaged)
    }
    if isDamaged {
      logger.error("Files of the spool are damaged. They stay there.", metadata: ["files": "\(listing.damaged)"])
    }
    return names
  }
}

extension NATSError {
  /// Whether other records would fail in the same way now.
  fileprivate var concernsAll: Bool {
    switch self {
    case .tooLarge, .malformedAnswer, .refusedByJetStream, .conflict: false
    default: true
    }
  }
}
