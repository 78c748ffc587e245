internal import TesseraNATS
internal import TesseraThreads

/// The requests of one read, and their number.
final class DeskConnection: Sendable {
  let nats: NATSConnection
  let desk: DeskName
  let limits: FleetLimits
  private let count = Locked(0)

  init(_ nats: NATSConnection, _ desk: DeskName, _ limits: FleetLimits) {
    self.nats = nats
    self.desk = desk
    self.limits = limits
  }

  /// The round trips so far.
  var roundTrips: Int { count.withLock { $0 } }

  func recordRoundTrip() { count.withLock { $0 += 1 } }

  /// Sends a request and waits for its answer.
  ///
  /// - Parameters:
  ///   - silence: the error if no answer comes in time.
  ///   - isRepeatable: whether the request may be sent again after the connection was lost: the inspector then repeats
  ///     an answer that it has given already. For `limits.route` after the loss, the server may not know the inspector.
  ///   - absence: the error if the server knows that nobody receives the request; `silence` by default.
  /// - Throws: the error that the answer states; `FleetError` with the codes `silence`, `absence`, `disconnected`,
  ///   `incomplete` (the server does not take the request), or those of `FleetCoding`; `NATSError` if the server itself
  ///   says why it refuses; `CancellationError`.
  func ask<Reply: FleetMessage>(
    _ subject: String, _ message: some FleetMessage, within limit: Duration, silence: FleetError.Code,
    absence: FleetError.Code? = nil, isRepeatable: Bool = false, for reply: Reply.Type
  ) async throws -> Reply {
    let payload = try FleetCoding.encode(message)
    guard payload.count <= limits.messageSize else { throw FleetError(.tooLarge) }
    let answer: NATSMessage
    do {
      answer = try await request(subject, payload, within: limit, isRepeatable: isRepeatable)
    } catch NATSError.closed {
      throw FleetError(.disconnected)
    } catch NATSError.noResponders {
      throw FleetError(absence ?? silence)
    } catch NATSError.congested {
      throw FleetError(.incomplete)
    } catch let error as NATSError where !error.isAnswerOfServer {
      throw FleetError(silence)
    }
    recordRoundTrip()
    return try FleetCoding.decode(response: Reply.self, from: answer.payload, limit: limits.messageSize)
  }

  private func request(
    _ subject: String, _ payload: [UInt8], within limit: Duration, isRepeatable: Bool
  ) async throws -> NATSMessage {
    let end = ContinuousClock.now + limit
    var lastLoss: ContinuousClock.Instant?
    while true {
      do {
        return try await nats.request(subject, payload, timeout: max(.zero, end - .now))
      } catch let error as NATSError {
        let mayRepeat =
          switch error {
          // It was refused at once, so it was not sent.
          case .congested: true
          case .disconnected: isRepeatable
          // A server that has just started does not know yet who receives what at the other servers.
          case .noResponders: lastLoss.map { .now < $0 + limits.route } ?? false
          default: false
          }
        guard mayRepeat, .now + Self.pause < end else { throw error }
        if error == .disconnected { lastLoss = .now }
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  private static let pause = Duration.milliseconds(200)

  /// Sends a message without waiting.
  ///
  /// - Throws: `FleetError` with the code `disconnected` or `incomplete`.
  func send(_ subject: String, _ message: some FleetMessage) throws {
    do {
      try nats.publish(NATSMessage(subject: subject, payload: try FleetCoding.encode(message)))
    } catch NATSError.closed {
      throw FleetError(.disconnected)
    } catch let error as NATSError where !error.isAnswerOfServer {
      throw FleetError(.incomplete)
    }
  }

  /// - Throws: `FleetError` with the code `disconnected` or `incomplete`.
  func subscribe(
    _ subject: String, _ handler: @escaping @Sendable (NATSMessage) -> Void
  ) throws -> NATSSubscription {
    do {
      return try nats.subscribe(subject, handler)
    } catch NATSError.congested {
      throw FleetError(.incomplete)
    } catch {
      throw FleetError(.disconnected)
    }
  }
}
