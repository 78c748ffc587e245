internal import FoundationEssentials
internal import TesseraHTTPClient
package import TesseraJSON
internal import TesseraThreads

/// A client of a Socket.IO 5 server over Engine.IO 4, by WebSocket only (Passage.md, rule 5).
///
/// `start` connects. When the connection is lost, the client makes a new one, as `SocketReconnection` says; a session
/// is never resumed. It ends for good when it is closed, after the last attempt, and when the server refuses it,
/// removes it from the namespace, violates a protocol or sends too much. `events` tells all of that.
///
/// **Nothing is sent twice.** An event is given to one connection at most. While there is none, events wait in their
/// order, and are sent once when there is one again; or they fail, if the caller prefers that. An event that was given
/// to a connection that is then lost fails with `SocketEmissionError.interrupted`: nobody can know whether it has
/// arrived, and the client does not repeat it.
///
/// The client offers no compression, which a server must accept (RFC 7692, 5). The roots of TLS, the proxy and
/// `TESSERA_OFFLINE` are those of `HTTPSClient`.
package actor SocketClient {
  /// What happens, in its order. One task may read it, and should: a server whose events nobody reads is disconnected.
  package nonisolated let events: SocketClientEvents

  private let configuration: SocketConfiguration
  private let connector: SocketConnector
  private let clock: any Clock<Duration>
  private let budget: ServerEventBudget
  private let continuation: AsyncStream<SocketClientEvents.Item>.Continuation

  private enum State {
    case idle
    case running(Task<Void, Never>)
    case ended(SocketError?)
  }
  private var state = State.idle
  /// nil unless the server let the client join the namespace.
  private var joined: (connection: SocketConnection, maximumPayload: Int)?
  private var connections = 0
  private var outbox: Outbox
  private var nextIdentifier = AcknowledgementIdentifier.first
  private var openAcknowledgements: Set<AcknowledgementRequest> = []

  /// What happens to an event that is sent while there is no connection.
  package enum OfflineRule: Sendable {
    /// It waits for the next connection.
    case waits
    /// It fails with `SocketEmissionError.notConnected`.
    case fails
  }

  /// - Parameters:
  ///   - environment: the variables of `HTTPSClient`.
  ///   - clock: measures the waits before the attempts to connect again.
  package init(
    _ configuration: SocketConfiguration, environment: [String: String] = ProcessInfo.processInfo.environment,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.configuration = configuration
    self.clock = clock
    budget = ServerEventBudget(configuration.limits)
    connector = SocketConnector(
      configuration: configuration, settings: ConnectionSettings(environment: environment), budget: budget)
    outbox = Outbox(configuration.limits)
    let (stream, continuation) = AsyncStream.makeStream(of: SocketClientEvents.Item.self)
    events = SocketClientEvents(stream, budget)
    self.continuation = continuation
  }

  // MARK: - Beginning and end

  /// Begins to connect, and returns at once. Does nothing after the first call. The client lives until it has ended.
  package func start() {
    guard case .idle = state else { return }
    state = .running(Task { await run() })
  }

  /// Ends the client for good: leaves the namespace, and closes the connection. Waits for the server's confirmation
  /// within `SocketConfiguration.TimeLimits.closing`. What waits to be sent fails.
  package func close() async {
    switch state {
    case .idle: end(nil)
    case .running(let task):
      task.cancel()
      await task.value
    case .ended: break
    }
  }

  private func end(_ error: SocketError?) {
    state = .ended(error)
    outbox.end(error)
    continuation.yield((.ended(error), bytes: nil))
    continuation.finish()
  }

  // MARK: - Connections

  private func run() async {
    var reconnection = configuration.reconnection
    while true {
      let reason = await converse(&reconnection)
      guard !Task.isCancelled else { return end(nil) }
      guard reason.isTransient, reconnection.maximumAttempts > 0 else { return end(reason) }
      guard let wait = reconnection.next() else {
        return end(.gaveUp(attempts: reconnection.attempts, last: reason))
      }
      continuation.yield((.disconnected(reason, attempt: reconnection.attempts, wait: wait), bytes: nil))
      do { try await clock.sleep(for: wait) } catch { return end(nil) }
    }
  }

  /// Has one connection from its beginning to its end.
  ///
  /// - Returns: The reason of its end.
  private func converse(_ reconnection: inout SocketReconnection) async -> SocketError {
    let connection: SocketConnection
    do {
      connection = try await connector.connect()
    } catch {
      return error as? SocketError ?? .interrupted
    }
    var reason = SocketError.interrupted
    for await report in connection.reports {
      switch report {
      case .joined(let handshake, let identifier):
        reconnection.connected()
        begin(connection, handshake, identifier)
      case .event(let event, let identifier, let bytes): receive(event, identifier, bytes, connection)
      case .acknowledged(let identifier, let values, let bytes):
        budget.release(bytes)
        outbox.acknowledged(identifier, values)
      case .written(let number): outbox.written(number)
      case .ended(let error): reason = error
      }
    }
    joined = nil
    openAcknowledgements = []
    // A cancelled task has not read all reports; the connection is then closed on purpose.
    if Task.isCancelled { await connection.close() }
    outbox.connectionLost()
    return reason
  }

  private func begin(_ connection: SocketConnection, _ handshake: EngineHandshake, _ identifier: String) {
    connections += 1
    joined = (connection, handshake.maximumPayload ?? configuration.limits.unnamedPayload)
    let session = SocketSession(number: connections, identifier: identifier, handshake: handshake)
    continuation.yield((.connected(session), bytes: 0))
    if let greeting = configuration.greeting {
      do { try greeting.check() } catch { return connection.end(.invalidMessage(error)) }
      let packet = SocketPacket(configuration.namespace.withoutQuery, .event(greeting, identifier: nil))
      outbox.prepend(EnginePacket.message(packet.text).text)
    }
    sendWaiting()
  }

  private func receive(
    _ event: SocketEvent, _ identifier: AcknowledgementIdentifier?, _ bytes: Int, _ connection: SocketConnection
  ) {
    let request = identifier.map { AcknowledgementRequest(connection: connections, identifier: $0) }
    if let request {
      guard openAcknowledgements.count < configuration.limits.openAcknowledgements else {
        budget.release(bytes)
        return connection.end(.flooded)
      }
      openAcknowledgements.insert(request)
    }
    continuation.yield((.received(SocketMessage(event: event, acknowledgement: request)), bytes: bytes))
  }

  private func sendWaiting() {
    guard let joined else { return }
    for emission in outbox.takeWaiting(limit: joined.maximumPayload) { joined.connection.send(emission) }
  }

  // MARK: - Sending

  /// The number of events that wait until they are sent, or for their acknowledgement.
  package var unsentCount: Int { outbox.count }

  /// Sends an event. Returns when the operating system has taken it, which does not mean that the server has it.
  ///
  /// - Parameters:
  ///   - rule: what happens if there is no connection at the moment.
  ///   - limit: how long the event may wait for a connection; nil for no limit.
  /// - Throws: `SocketEmissionError`, or `CancellationError`. After a cancellation and after the time limit, an event
  ///   that was not given to a connection is never sent.
  package func emit(_ event: SocketEvent, whileDisconnected rule: OfflineRule = .waits, within limit: Duration? = nil)
    async throws
  {
    let emission = try enqueue(event, identifier: nil, rule)
    _ = try await result(of: emission, limit)
  }

  /// Sends an event and waits for the server's acknowledgement.
  ///
  /// - Parameters:
  ///   - limit: how long the event may wait for a connection and for its acknowledgement.
  ///   - rule: what happens if there is no connection at the moment.
  /// - Returns: The values of the acknowledgement.
  /// - Throws: `SocketEmissionError`, or `CancellationError`. After a cancellation and after the time limit, an event
  ///   that was not given to a connection is never sent.
  package func emitAcknowledged(
    _ event: SocketEvent, within limit: Duration, whileDisconnected rule: OfflineRule = .waits
  ) async throws -> [JSONValue] {
    let identifier = nextIdentifier
    nextIdentifier = identifier.next
    let emission = try enqueue(event, identifier: identifier, rule)
    return try await result(of: emission, limit)
  }

  /// Acknowledges an event of the server, once, and on the connection on which it came. Returns when the operating
  /// system has taken the acknowledgement.
  ///
  /// - Throws: `SocketEmissionError`: `nothingToAcknowledge` for another message, and after the end of its connection.
  package func acknowledge(_ message: SocketMessage, with values: [JSONValue] = []) async throws {
    guard let request = message.acknowledgement, let joined, openAcknowledgements.contains(request) else {
      throw SocketEmissionError.nothingToAcknowledge
    }
    let packet = SocketPacket(configuration.namespace.withoutQuery, .acknowledgement(request.identifier, values))
    let emission = try enqueue(packet, identifier: nil, mayWait: false, limit: joined.maximumPayload)
    openAcknowledgements.remove(request)
    sendWaiting()
    _ = try await result(of: emission, nil)
  }

  private func enqueue(
    _ event: SocketEvent, identifier: AcknowledgementIdentifier?, _ rule: OfflineRule
  ) throws(SocketEmissionError) -> Emission {
    if case .ended(let error) = state { throw .ended(error) }
    do { try event.check() } catch { throw .invalid(error) }
    guard rule == .waits || joined != nil else { throw .notConnected }
    let packet = SocketPacket(configuration.namespace.withoutQuery, .event(event, identifier: identifier))
    let emission = try enqueue(packet, identifier: identifier, mayWait: rule == .waits, limit: joined?.maximumPayload)
    sendWaiting()
    return emission
  }

  private func enqueue(
    _ packet: SocketPacket, identifier: AcknowledgementIdentifier?, mayWait: Bool, limit: Int?
  ) throws(SocketEmissionError) -> Emission {
    let text = EnginePacket.message(packet.text).text
    let limit = min(limit ?? EnginePacket.maximumLength, EnginePacket.maximumLength)
    guard text.utf8.count <= limit else { throw .tooLarge(limit: limit) }
    return try outbox.append(text, identifier, mayWait: mayWait)
  }

  private func result(of emission: Emission, _ limit: Duration?) async throws -> [JSONValue] {
    do {
      return try await withTimeLimit(limit) { try await emission.result.value }
    } catch let error as SocketEmissionError {
      throw error
    } catch {
      let isUnsent = outbox.withdraw(emission.number)
      guard error is TimeLimitExceeded, let limit else { throw error }
      if isUnsent { throw SocketEmissionError.timeLimit(limit) }
      throw SocketEmissionError.unconfirmed(limit)
    }
  }
}
