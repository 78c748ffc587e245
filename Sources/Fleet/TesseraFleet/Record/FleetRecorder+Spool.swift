internal import TesseraEncryptedStorage
internal import TesseraNATS
internal import TesseraThreads

extension FleetRecorder {
  /// Sends what is in the spool: at first, when a record was left there, when the connection is there again, and in
  /// growing intervals while records wait. Returns when the task is cancelled.
  package func run() async {
    var pause = intervals.pauses.lowerBound
    var listed: ContinuousClock.Instant?
    while !Task.isCancelled {
      let isSound = await sendWaiting(&listed)
      if isSound { pause = intervals.pauses.lowerBound }
      if isSound, becomeIdle() {
        await wakeUp.wait(atMost: nil)
        state.withLock { $0.isIdle = false }
      } else {
        await wakeUp.wait(atMost: pause)
        pause = min(pause * 2, intervals.pauses.upperBound)
      }
    }
  }

  /// - Returns: whether nothing is left to send. Whoever leaves a record from now on wakes `run()`.
  private func becomeIdle() -> Bool {
    state.withLock { state in
      state.isIdle = state.waiting.allSatisfy { state.underWay.contains($0) || state.unreadable[$0] != nil }
      return state.isIdle
    }
  }

  /// - Returns: false after an error that may be over later.
  private func sendWaiting(_ listed: inout ContinuousClock.Instant?) async -> Bool {
    // This process knows its own records. During an outage of the stream the spool is large, and reads go on.
    if listed.map({ .now - $0 >= intervals.listing }) ?? true {
      do {
        take(try await spool.list())
        listed = .now
      } catch {
        note(error, "The spool cannot be read.", nil)
        return false
      }
    }
    var isSound = true
    for name in state.withLock({ $0.waiting }).sorted(by: { $0.text < $1.text }) {
      guard !Task.isCancelled else { return false }
      let isForLater = state.withLock { $0.underWay.contains(name) || $0.unreadable[name] != nil }
      guard !isForLater, let record = await readable(name, &isSound) else { continue }
      do {
        try await send(record, name)
      } catch let error as NATSError where error.concernsAll {
        note(error, "The stream does not take the records of the spool.", nil)
        return false
      } catch {
        note(error, "A record of the spool was not sent.", record)
        isSound = false
      }
    }
    return isSound
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
  private func readable(_ name: SpoolName, _ isSound: inout Bool) async -> ReadRecord? {
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
      isSound = false
      return nil
    }
    state.withLock { $0.unreadable[name] = problem }
    switch problem {
    case .laterVersion: logger.error("A record of the spool is of a later version of Tessera. It stays there.")
    case .malformed: logger.error("A record of the spool is damaged. It stays there.")
    }
    return nil
  }

  /// Adds what is in the spool to what this process knows of. Another one may have removed that.
  private func take(_ listing: RecordSpool.Listing) {
    let isDamaged = state.withLock { state in
      let isDamaged = listing.damaged > state.damaged
      let gone = Set(state.unreadable.keys).subtracting(listing.waiting)
      state.unreadable = state.unreadable.filter { !gone.contains($0.key) }
      state.waiting.subtract(gone)
      state.waiting.formUnion(listing.waiting)
      state.refused = listing.refused
      state.damaged = listing.damaged
      return isDamaged
    }
    if isDamaged {
      logger.error("Files of the spool are damaged. They stay there.", metadata: ["files": "\(listing.damaged)"])
    }
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
