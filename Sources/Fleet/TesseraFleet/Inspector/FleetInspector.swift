package import Logging
internal import TesseraCore
package import TesseraNATS
internal import TesseraThreads
package import TesseraVerification

/// An inspector: it takes reads of desks, proves and judges their documents with its own country certificates, and keeps
/// their records. Any number of them share the reads of all desks.
package final class FleetInspector: Sendable {
  /// The name of this inspector: random, so that no desk learns the name of the machine.
  package let identifier: FleetIdentifier
  let connection: NATSConnection
  let configuration: InspectorConfiguration
  let table: SessionTable
  let judge: Judge
  let metrics: FleetMetrics
  let logger: Logger
  private let clock: InspectorClock
  /// Of this inspector while it runs, and how many messages were dropped before.
  private let reception = Locked<(subscriptions: [NATSSubscription], dropped: Int)>(([], 0))
  private let ledger = ReadLedger()
  private let steps: AnsweredSteps
  /// Work that was begun for desks, so that it can be cancelled.
  private let work: WorkList

  package init(
    connection: NATSConnection, trust: any FleetTrustSource, recorder: any FleetRecording,
    configuration: InspectorConfiguration = InspectorConfiguration(), metrics: FleetMetrics = FleetMetrics(),
    logger: Logger = Logger(label: "tessera.fleet")
  ) throws {
    identifier = try .random()
    work = WorkList(configuration.limits)
    steps = AnsweredSteps(configuration.limits)
    self.connection = connection
    self.configuration = configuration
    self.metrics = metrics
    self.logger = logger
    table = SessionTable(configuration.limits, ledger, metrics)
    clock = InspectorClock(connection, configuration.clock, logger)
    judge = Judge(
      inspector: identifier, trust: trust, recorder: recorder, configuration: configuration, clock: clock,
      logger: logger)
  }

  var limits: FleetLimits { configuration.limits }

  /// What this inspector has counted since it was created.
  package var figures: InspectorFigures {
    var figures = ledger.figures
    figures.dropped = reception.withLock { $0.dropped + $0.subscriptions.map(\.dropped).reduce(0, +) }
    figures.clockDifference = clock.difference
    return figures
  }

  /// Serves desks until the task is cancelled. Then it takes no further reads, and answers those under way before it
  /// returns, as far as they end in time.
  ///
  /// - Parameter onReady: called once desks can reach this inspector.
  /// - Throws: `FleetError` with the code `clockDiffers`; `NATSError` if the subscriptions fail.
  package func run(onReady: @escaping @Sendable () -> Void = {}) async throws {
    do {
      try await clock.begin()
    } catch is CancellationError {
      return
    }
    // The requests of a read first: a desk may send them as soon as its beginning is answered.
    let reads = try connection.subscribe(FleetSubject.everyRead(identifier)) { [self] in receiveRead($0) }
    defer { reads.cancel() }
    let begins = try connection.subscribe(FleetSubject.everyBegin, queue: FleetSubject.inspectors) { [self] in
      receiveBegin($0)
    }
    reception.withLock { $0.subscriptions = [reads, begins] }
    defer {
      // They hold this object.
      reception.withLock { reception in
        reception = ([], reception.dropped + reception.subscriptions.map(\.dropped).reduce(0, +))
      }
    }
    do {
      try await connection.flush(within: .seconds(10))
      onReady()
      await clock.follow()
    } catch is CancellationError {
      // The usual end.
    } catch {
      begins.cancel()
      throw error
    }
    begins.cancel()
    // The rest must not see that this task is cancelled.
    await Task { await self.drain() }.value
  }

  private func drain() async {
    let emptied = table.close()
    _ = try? await withTimeLimit(limits.drain) { try await emptied.value }
    // An answer that is being written waits for its server.
    _ = try? await withTimeLimit(.seconds(5)) { [work] in await work.cancelAll() }
    try? await connection.flush(within: .seconds(2))
  }

  // MARK: - Requests

  /// The desk that sent a message; nil if it is no message of a desk, or wants its answer elsewhere than in its inbox.
  private static func desk(of message: NATSMessage) -> DeskName? {
    guard let desk = FleetSubject.desk(ofRead: message.subject) else { return nil }
    return message.reply.map { FleetSubject.isInbox($0, of: desk) } ?? true ? desk : nil
  }

  /// Called on the connection's thread.
  private func receiveBegin(_ message: NATSMessage) {
    guard let desk = Self.desk(of: message) else { return }
    answer(message, of: desk) { [self] in
      let begin = try FleetCoding.decode(BeginMessage.self, from: message.payload, limit: limits.messageSize)
      try begin.validate(limits)
      guard configuration.modes.contains(begin.mode) else { throw FleetError(.refused) }
      try clock.check()
      let session = try begin.offer?.session ?? .random()
      let read = InspectedRead(
        session: session, readID: begin.readID, desk: desk, software: begin.software)
      switch begin.offer {
      case nil: return try FleetCoding.encode(beginWitnessed(read))
      case let offer?: return try await readRemotely(read, offer).encoded(limit: limits.messageSize)
      }
    }
  }

  /// Called on the connection's thread, in the order of the messages of one desk.
  private func receiveRead(_ message: NATSMessage) {
    guard let desk = Self.desk(of: message) else { return }
    guard message.reply != nil else {
      // Done before the next message is received, which may need it.
      return receiveUnanswered(message, of: desk)
    }
    let hasRoom = work.begin(of: desk) { [self] in
      do {
        let request = try FleetCoding.decode(ReadMessage.self, from: message.payload, limit: limits.messageSize)
        try await receive(request, message, of: desk)
      } catch {
        await respond(to: [message], payload(of: error))
      }
    }
    if !hasRoom { refuse(message) }
  }

  /// Takes a step of a read, or answers its repetition.
  private func receive(_ request: ReadMessage, _ message: NATSMessage, of desk: DeskName) async throws {
    let content = try request.step()
    let isAnswer: Bool =
      switch content {
      case .part, .abandonment: throw FleetError(.malformed)
      case .files: false
      case .answer: true
      }
    let step = AnsweredSteps.Step(session: request.session, isAnswer: isAnswer)
    let reception = try steps.receive(step, of: desk, message) { try begin(content, of: request.session, desk) }
    switch reception {
    case .answered(let payload): await respond(to: [message], payload)
    case .underWay: return
    case .first(let answer):
      let payload: [UInt8]
      do {
        payload = try await answer().encoded(limit: limits.messageSize)
      } catch {
        payload = self.payload(of: error)
      }
      await respond(to: [message] + steps.finish(step, payload), payload)
    }
  }

  /// Takes from the table what a step of a read needs.
  ///
  /// - Returns: the work on it.
  /// - Throws: `FleetError` if it is not the read's next step.
  private func begin(
    _ content: ReadMessage.Step, of session: FleetIdentifier, _ desk: DeskName
  ) throws -> @Sendable () async throws -> FilesReply {
    switch content {
    case .part, .abandonment: throw FleetError(.malformed)
    case .files(let files):
      let (read, challenge, parts) = try table.takeParts(of: session, desk, lastSize: files.data.bytes.count)
      return { [self] in try await take(files, parts, of: read, challenge: challenge) }
    case .answer(let answer):
      let (read, challenge, proof) = try table.takeProof(of: session, desk)
      return { [self] in try await take(answer, proof, of: read, challenge: challenge) }
    }
  }

  /// Takes a part of the files, or the end of a read that its desk gives up.
  private func receiveUnanswered(_ message: NATSMessage, of desk: DeskName) {
    guard table.accepts(message.payload.count, of: desk),
      let request = try? FleetCoding.decode(ReadMessage.self, from: message.payload, limit: limits.messageSize)
    else { return }
    switch try? request.step() {
    case .part(let part)?: table.add(part, to: request.session, of: desk)
    case .abandonment?: table.abandon(request.session, of: desk)
    default: return
    }
  }

  // MARK: - Answers

  /// Answers a request with the result of `body`, or with its error.
  private func answer(
    _ message: NATSMessage, of desk: DeskName, _ body: @escaping @Sendable () async throws -> [UInt8]
  ) {
    let hasRoom = work.begin(of: desk) { [self] in
      let payload: [UInt8]
      do {
        payload = try await body()
      } catch {
        payload = self.payload(of: error)
      }
      await respond(to: [message], payload)
    }
    if !hasRoom { refuse(message) }
  }

  private func refuse(_ message: NATSMessage) {
    // Without a connection the desk notices that there is no answer.
    try? connection.respond(to: message, payload(of: FleetError(.busy)))
  }

  private func payload(of error: any Error) -> [UInt8] {
    let error = FleetError(error)
    metrics.failed(error)
    if error.code == .internalError { logger.error("A read failed unexpectedly.") }
    return (try? FleetCoding.encode(error)) ?? []
  }

  /// The pauses between attempts to answer while the connection is being made again.
  private static let pauses: [Duration] = [0.1, 0.2, 0.5, 1, 2, 2, 2, 2].map { .seconds($0) }

  private func respond(to messages: [NATSMessage], _ payload: [UInt8]) async {
    for message in messages {
      do throws(NATSError) {
        try await respond(to: message, payload)
      } catch {
        logger.warning("An answer to a desk could not be sent: \(error.failure.cause)")
      }
    }
  }

  private func respond(to message: NATSMessage, _ payload: [UInt8]) async throws(NATSError) {
    for pause in Self.pauses {
      do throws(NATSError) {
        return try await connection.respondAndWait(to: message, payload)
      } catch  where error == .disconnected || error == .congested {
        // A cancelled task tries once more.
        guard (try? await Task.sleep(for: pause)) != nil else { break }
      }
    }
    try await connection.respondAndWait(to: message, payload)
  }
}

/// What is known of countries, and which version of the fleet's trust store it is.
package struct VersionedTrust: Sendable {
  package var material: TrustMaterial
  /// nil for a store of this machine.
  package var version: UInt64?

  package init(material: TrustMaterial, version: UInt64? = nil) {
    self.material = material
    self.version = version
  }
}

/// Where an inspector takes the country certificates from, before each verdict.
package protocol FleetTrustSource: Sendable {
  /// - Throws: any error if nothing can be trusted at the moment; the desk then begins the read again elsewhere.
  func current() async throws -> VersionedTrust
}
