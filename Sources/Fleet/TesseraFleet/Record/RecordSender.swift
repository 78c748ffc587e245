internal import TesseraNATS
internal import TesseraThreads

/// What became of a record that was sent.
enum RecordDelivery: Sendable, Equatable {
  /// The stream has it, or one that says the same.
  case stored
  /// The stream has another record of this read.
  case conflict
}

/// Sends records to the stream.
struct RecordSender: Sendable {
  let stream: JetStream
  /// For one message.
  let timeout: Duration

  /// Sends a record, after the parts of its dump: a record never names parts that the stream does not have. Sending it
  /// again is safe.
  ///
  /// - Throws: `NATSError`. After `.timeout` and `.disconnected`, the stream may have the record or get it later.
  func send(_ record: ReadRecord) async throws -> RecordDelivery {
    if let dump = record.dump {
      // The parts of a record that is refused would be of no use.
      if let delivery = try await compare(record) { return delivery }
      try await send(dump, of: record)
    }
    let subject = FleetSubject.record(record.desk, record.readID)
    switch try await stream.publish(
      subject, record.payload, id: try record.messageID, expectingNone: true, timeout: timeout)
    {
    case .stored, .duplicate: return .stored
    case .occupied:
      // A server that is behind may not have it yet. It will, so this is as if no answer had come.
      guard let delivery = try await compare(record) else { throw NATSError.timeout }
      return delivery
    case .occupiedOrFull:
      guard let delivery = try await compare(record) else { throw NATSError.streamFull }
      return delivery
    }
  }

  private func send(_ dump: RecordDump, of record: ReadRecord) async throws {
    for (number, part) in dump.parts.enumerated() {
      let subject = dump.subject(number, record.desk, record.readID)
      switch try await stream.publish(subject, part, id: subject, expectingNone: true, timeout: timeout) {
      // Its subject has a random identifier, so what is there is this part.
      case .stored, .duplicate, .occupied: break
      case .occupiedOrFull:
        guard try await stream.lastMessage(of: subject, in: RecordStream.name) != nil else {
          throw NATSError.streamFull
        }
      }
    }
  }

  /// Compares a record with the one that the stream has; nil if it has none.
  private func compare(_ record: ReadRecord) async throws -> RecordDelivery? {
    let subject = FleetSubject.record(record.desk, record.readID)
    guard let stored = try await stream.lastMessage(of: subject, in: RecordStream.name) else { return nil }
    return record.agrees(with: stored.payload) ? .stored : .conflict
  }
}

/// Lets one task wait for a sign. A sign that comes while nobody waits ends the next wait at once.
final class WakeUp: Sendable {
  private let next = Locked(FirstResult<Void>())

  func signal() { next.withLock { $0 }.settle(.success(())) }

  /// Waits for a sign, at most for `limit` (nil: without a limit), or until the task is cancelled.
  func wait(atMost limit: Duration?) async {
    let sign = next.withLock { $0 }
    let timer = limit.map { limit in
      Task {
        try? await Task.sleep(for: limit)
        sign.settle(.success(()))
      }
    }
    _ = try? await withTaskCancellationHandler {
      try await sign.value
    } onCancel: {
      sign.settle(.failure(CancellationError()))
    }
    timer?.cancel()
    next.withLock { $0 = FirstResult() }
  }
}
