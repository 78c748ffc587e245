internal import TesseraHTTPClient
internal import TesseraJSON
internal import TesseraThreads

/// What a connection reports to the client that made it, in the order in which it happened.
enum ConnectionReport: Sendable {
  /// The server let the client join the namespace.
  case joined(EngineHandshake, identifier: String)
  /// - Parameter bytes: what the receiver releases from the budget.
  case event(SocketEvent, AcknowledgementIdentifier?, bytes: Int)
  case acknowledged(AcknowledgementIdentifier, [JSONValue], bytes: Int)
  /// The operating system has taken the emission with this number.
  case written(Int)
  /// The connection is over. This is the last report.
  case ended(SocketError)
}

/// One connection to the server, on a thread of its own.
final class SocketConnection: Sendable {
  /// What the client wants of the connection.
  enum Order: Sendable {
    case send(Emission)
    case end(SocketError)
    case close
    /// Nobody waits for the connection any more.
    case abandon
  }

  /// Ends with the report of the end, or when the client closes the connection.
  let reports: AsyncStream<ConnectionReport>
  private let continuation: AsyncStream<ConnectionReport>.Continuation
  private let configuration: SocketConfiguration
  private let budget: ServerEventBudget
  private let bytes: ByteConnection
  private let orders = Locked<[Order]>([])
  private let connected = FirstResult<Void>()
  private let upgraded = FirstResult<Void>()
  private let closed = FirstResult<Void>()

  init(_ configuration: SocketConfiguration, _ budget: ServerEventBudget, over bytes: ByteConnection) {
    self.configuration = configuration
    self.budget = budget
    self.bytes = bytes
    (reports, continuation) = AsyncStream.makeStream(of: ConnectionReport.self)
  }

  /// Connects, and makes the connection a WebSocket. Must be called once.
  ///
  /// - Throws: `SocketError`, `HTTPError`, or `CancellationError`.
  func open() async throws {
    try await withTaskCancellationHandler {
      guard DetachedThread.start(name: "passage socket", waits: false, { self.run() }) else {
        throw SocketError.interrupted
      }
      do {
        let limit = configuration.timeLimits.connecting
        let connected = connected
        try await withTimeLimit(limit, orThrow: SocketError.timeLimit(.connecting, limit)) {
          try await connected.value
        }
        try await upgraded.value
      } catch {
        abandon()
        throw error
      }
    } onCancel: {
      abandon()
    }
  }

  private func run() {
    BrokenPipe.blockSignal()
    defer {
      bytes.disconnect()
      closed.settle(.success(()))
    }
    do {
      try bytes.connect()
    } catch {
      connected.settle(.failure(error))
      return
    }
    connected.settle(.success(()))
    let exchange = SocketExchange(configuration, budget, continuation)
    exchange.run(over: bytes) {
      orders.withLock { orders in
        defer { orders = [] }
        return orders
      }
    } onUpgrade: { [upgraded] in
      upgraded.settle($0.mapError { $0 as any Error })
    }
  }

  private func order(_ order: Order) {
    orders.withLock { $0.append(order) }
    bytes.wake()
  }

  private func abandon() {
    connected.settle(.failure(CancellationError()))
    upgraded.settle(.failure(CancellationError()))
    bytes.cancel()
    order(.abandon)
  }

  /// Sends the emission after those before it; its number is reported once it is written.
  func send(_ emission: Emission) { order(.send(emission)) }

  /// Ends the connection for a reason, which is reported.
  func end(_ reason: SocketError) { order(.end(reason)) }

  /// Closes the connection on purpose, and waits for its end: until the server has confirmed it, or for the time limit.
  /// Must be called once.
  func close() async {
    order(.close)
    try? await closed.value
  }
}
