internal import TesseraNATS
internal import TesseraPassport
internal import TesseraSmartCard
internal import TesseraThreads

/// Executes the commands of an inspector on this desk's card, for one remote read and as long as it lasts.
final class CardRelay: Sendable {
  private struct State {
    var isClosed = false
    /// The request that is being executed: the inspector waits for this desk.
    var executing: NATSMessage?
    var hasExecuted = false
    var lastSign: ContinuousClock.Instant?
  }

  private struct Work: Sendable {
    var message: NATSMessage
    var request: RelayMessage
  }

  private let channel: any CardChannel
  private let requests: DeskConnection
  private let gracePeriod: Duration
  private let onProgress: @Sendable (InspectionProgress) -> Void
  private let state = Locked(State())
  private let begin = ContinuousClock.now
  private let work: AsyncStream<Work>
  private let queue: AsyncStream<Work>.Continuation

  /// - Parameter gracePeriod: the longest time to wait for a document that was removed.
  init(
    _ channel: any CardChannel, _ requests: DeskConnection, gracePeriod: Duration,
    onProgress: @escaping @Sendable (InspectionProgress) -> Void
  ) {
    self.channel = channel
    self.requests = requests
    self.gracePeriod = gracePeriod
    self.onProgress = onProgress
    // An inspector waits for each answer, so that there is never a second request.
    (work, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  private var limits: FleetLimits { requests.limits }

  /// Whether the card may have a session with an inspector.
  var hasExecuted: Bool { state.withLock { $0.hasExecuted } }

  /// Refuses all further requests, and the one that is being executed: the inspector need not wait for a chip that does
  /// not answer.
  func close() {
    let executing = state.withLock { state in
      state.isClosed = true
      defer { state.executing = nil }
      return state.executing
    }
    queue.finish()
    if let executing { refuse(executing, FleetError(.refused)) }
  }

  // MARK: - Receiving

  /// Called on the subscription's queue, one message at a time.
  func receive(_ message: NATSMessage) {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.lastSign = .now }
      return !state.isClosed
    }
    guard isOpen else { return refuse(message, FleetError(.refused)) }
    let request: RelayMessage
    do {
      request = try FleetCoding.decode(RelayMessage.self, from: message.payload, limit: limits.messageSize)
    } catch {
      return refuse(message, error)
    }
    if let progress = request.progress?.progress { onProgress(progress) }
    guard request.batch != nil || request.awaitReturn != nil else { return }
    guard case .enqueued = queue.yield(Work(message: message, request: request)) else {
      return refuse(message, FleetError(.refused))
    }
  }

  private func refuse(_ message: NATSMessage, _ error: FleetError) {
    guard message.reply != nil, let payload = try? FleetCoding.encode(error) else { return }
    try? requests.nats.respond(to: message, payload)
  }

  /// Waits until the inspector has been silent for too long.
  ///
  /// - Throws: `FleetError` with the code `noInspector` or `relayLost`; `CancellationError`.
  func awaitSilence() async throws {
    while true {
      let (lastSign, isExecuting) = state.withLock { ($0.lastSign, $0.executing != nil) }
      let limit = lastSign == nil ? limits.begin : limits.silence
      let end = isExecuting ? .now + limit : (lastSign ?? begin) + limit
      guard .now < end else { throw FleetError(lastSign == nil ? .noInspector : .relayLost) }
      try await Task.sleep(until: end, clock: .continuous)
    }
  }

  // MARK: - Executing

  /// Executes requests one after another, until the task is cancelled or the relay is closed.
  func serve() async throws {
    for await work in work {
      let isOpen = state.withLock { state in
        guard !state.isClosed else { return false }
        state.executing = work.message
        state.hasExecuted = true
        return true
      }
      guard isOpen else {
        refuse(work.message, FleetError(.refused))
        continue
      }
      let payload: [UInt8]
      do {
        payload = try FleetCoding.encode(try await execute(work.request))
        requests.recordRoundTrip()
      } catch let error as FleetError {
        payload = try FleetCoding.encode(error)
      } catch {
        payload = try FleetCoding.encode(FleetError(.refused))
      }
      let isUnanswered = state.withLock { state in
        state.lastSign = .now
        defer { state.executing = nil }
        return state.executing != nil
      }
      if isUnanswered { try? requests.nats.respond(to: work.message, payload) }
    }
    try Task.checkCancellation()
  }

  /// - Throws: `FleetError` with the code `malformed` or `tooLarge`; `CancellationError`.
  private func execute(_ request: RelayMessage) async throws -> RelayReply {
    switch (request.batch, request.awaitReturn) {
    case (let entries?, nil): return try await execute(entries)
    case (nil, let milliseconds?):
      let time = min(.milliseconds(min(max(0, milliseconds), 3_600_000)), max(gracePeriod, Self.powerCycleTime))
      do {
        try await channel.awaitReturn(within: time)
        return RelayReply()
      } catch let error as CancellationError {
        throw error
      } catch {
        return RelayReply(cardError: RelayedCardError(error))
      }
    default: throw FleetError(.malformed)
    }
  }

  /// The time to power a card that is still on the reader.
  private static let powerCycleTime = Duration.seconds(5)

  private func execute(_ entries: [RelayMessage.Entry]) async throws -> RelayReply {
    guard !entries.isEmpty, entries.count <= limits.batchCount,
      entries.allSatisfy({ $0.command.bytes.count <= limits.apduSize })
    else { throw FleetError(.tooLarge) }
    let batch = CommandBatch(entries.map(\.entry))
    let end = ContinuousClock.now + limits.batch
    var responses: [[UInt8]] = []
    var size = 0
    for (index, entry) in batch.entries.enumerated() {
      // A reader may not look whether the read was given up.
      try Task.checkCancellation()
      guard state.withLock({ !$0.isClosed }) else { throw FleetError(.refused) }
      do {
        responses.append(try await channel.transmit(entry.command))
      } catch let error as CancellationError {
        throw error
      } catch {
        return RelayReply(responses: responses, cardError: RelayedCardError(error))
      }
      size += responses[index].count
      guard batch.continues(after: responses[index], at: index) else { break }
      if size >= limits.batchSize || .now >= end { return RelayReply(responses: responses, isPartial: true) }
    }
    return RelayReply(responses: responses)
  }
}
