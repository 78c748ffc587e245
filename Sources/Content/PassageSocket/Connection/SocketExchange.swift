internal import TesseraHTTPClient
internal import TesseraThreads

/// What happens on a connection, on its thread: the handshake of the WebSocket, the conversation with the server, the watch
/// over its pings, and the end.
final class SocketExchange {
  /// A server that asks for more answers than this number without reading them is disconnected.
  private static let maximumUnsentAnswers = 1_024
  /// How often bytes are received before orders and timers have their turn.
  private static let mostReceptions = 16

  private struct Output {
    enum Kind {
      case emission(Int)
      case answer
      case other
    }
    let bytes: [UInt8]
    let kind: Kind
    var sent = 0
  }

  private let configuration: SocketConfiguration
  private let budget: ServerEventBudget
  private let reports: AsyncStream<ConnectionReport>.Continuation
  /// nil once the connection is a WebSocket.
  private var upgrade: WebSocketHandshake?
  private var reader: WebSocketReader
  private var conversation: SocketConversation
  private var handshake: EngineHandshake?
  private var outputs: [Output] = []
  private var unsentAnswers = 0
  /// When the connection ends, and why: of the handshake, of joining the namespace; then of the pings.
  private var limit: (end: ContinuousClock.Instant, error: SocketError)?
  /// The latest end of a connection that is being closed.
  private var closingEnd: ContinuousClock.Instant?
  /// Whether the end was reported, or the client is closing the connection. Nothing new is sent from then on.
  private var isOver = false
  /// Whether a close frame was received, or an error occurred. What follows is ignored.
  private var isInputOver = false
  /// Whether a close frame was sent. It is the last frame.
  private var isOutputOver = false
  /// Whether the connection closes as soon as all is written.
  private var closesWhenWritten = false
  private var isClosed = false
  private var onUpgrade: ((Result<Void, SocketError>) -> Void)?

  init(
    _ configuration: SocketConfiguration, _ budget: ServerEventBudget,
    _ reports: AsyncStream<ConnectionReport>.Continuation
  ) {
    self.configuration = configuration
    self.budget = budget
    self.reports = reports
    reader = WebSocketReader(longest: min(max(configuration.limits.message, 0), EnginePacket.maximumLength))
    conversation = SocketConversation(
      configuration.namespace, authentication: configuration.authentication, limit: configuration.limits.message)
  }

  /// Returns when the connection is to be closed.
  ///
  /// - Parameters:
  ///   - orders: takes what the client wants.
  ///   - onUpgrade: called once, with what the server made of the handshake.
  func run(
    over bytes: ByteConnection, orders: () -> [SocketConnection.Order],
    onUpgrade: @escaping (Result<Void, SocketError>) -> Void
  ) {
    self.onUpgrade = onUpgrade
    let handshake = WebSocketHandshake(configuration.address)
    upgrade = handshake
    outputs = [Output(bytes: handshake.request, kind: .other)]
    setLimit(configuration.timeLimits.upgrading) { .timeLimit(.upgrading, $0) }
    do throws(HTTPError) {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        for order in orders() { perform(order) }
        let mayHaveMore = isClosed ? false : try receive(bytes, &buffer)
        try flush(bytes)
        checkTime()
        if isClosed || closesWhenWritten && outputs.isEmpty { break }
        if !mayHaveMore { try bytes.wait(wantsToSend: !outputs.isEmpty, for: waitingTime) }
      }
    } catch {
      end(.interrupted)
    }
    // Whoever waits must not wait for ever.
    finishUpgrade(.failure(.interrupted))
    end(.interrupted)
  }

  private var waitingTime: Duration {
    let ends = [limit?.end, closingEnd].compactMap(\.self)
    return ends.min().map { ContinuousClock.now.duration(to: $0) } ?? .seconds(3_600)
  }

  private func setLimit(_ time: Duration, _ error: (Duration) -> SocketError) {
    limit = (.now + time, error(time))
  }

  private func checkTime() {
    if let closingEnd, closingEnd <= .now { isClosed = true }
    if let limit, limit.end <= .now { end(limit.error) }
  }

  private func perform(_ order: SocketConnection.Order) {
    switch order {
    case .send(let emission):
      guard !isOver, upgrade == nil else { return }
      emission.hasBegun.withLock { $0 = true }
      write(.text(emission.text), .emission(emission.number))
    case .end(let reason): end(reason)
    case .close: close()
    case .abandon: isClosed = true
    }
  }

  // MARK: - From the server

  /// - Returns: Whether there may be more to receive at once.
  private func receive(_ bytes: ByteConnection, _ buffer: inout [UInt8]) throws(HTTPError) -> Bool {
    for _ in 0..<Self.mostReceptions {
      let received = try buffer.withUnsafeMutableBufferPointer { buffer throws(HTTPError) in
        try bytes.receive(into: buffer)
      }
      guard let count = received else { return false }
      guard count > 0 else {
        end(.interrupted)
        isClosed = true
        return false
      }
      var input = buffer[..<count]
      do throws(SocketError) {
        try take(&input)
      } catch {
        isInputOver = true
        end(error)
      }
      if isClosed { return false }
    }
    return true
  }

  private func take(_ input: inout ArraySlice<UInt8>) throws(SocketError) {
    guard !isInputOver else { return }
    if upgrade != nil {
      guard try upgrade?.receive(&input) == true else { return }
      finishUpgrade(.success(()))
      setLimit(configuration.timeLimits.joining) { .timeLimit(.joining, $0) }
    }
    while let event = try reader.next(&input) {
      switch event {
      case .text(let text):
        guard !isOver else { continue }
        try perform(Self.valid { () throws(SocketProtocolError) in try conversation.receive(text) }, text.utf8.count)
      case .binary(let bytes):
        guard !isOver else { continue }
        // What is kept of an attachment has no length.
        try perform(Self.valid { () throws(SocketProtocolError) in try conversation.receive(binary: bytes) }, 0)
      case .ping(let content): try answer(.pong(content))
      case .close(let code):
        // The close frame of a server that answers ours ends the connection, too.
        if isOver { isClosed = true }
        // The status code is echoed (RFC 6455, 5.5.1), unless the client sent one first.
        writeClose(code)
        throw .closedByServer(code: code)
      }
    }
  }

  private static func valid<Value>(_ body: () throws(SocketProtocolError) -> Value) throws(SocketError) -> Value {
    do throws(SocketProtocolError) {
      return try body()
    } catch {
      throw .invalidMessage(error)
    }
  }

  private func finishUpgrade(_ result: Result<Void, SocketError>) {
    upgrade = nil
    onUpgrade?(result)
    onUpgrade = nil
  }

  private func perform(_ actions: [SocketConversation.Action], _ bytes: Int) throws(SocketError) {
    for action in actions where !isOver {
      switch action {
      case .send(let packet): try answer(.text(packet.text))
      case .opened(let handshake): self.handshake = handshake
      case .pinged: if conversation.isConnected { watchPings() }
      case .connected(let identifier):
        guard let handshake else { continue }
        watchPings()
        try report(.joined(handshake, identifier: identifier), 0)
      case .event(let event, let identifier): try report(.event(event, identifier, bytes: bytes), bytes)
      case .acknowledged(let identifier, let values): try report(.acknowledged(identifier, values, bytes: bytes), bytes)
      case .ended(let reason):
        switch reason {
        case .refused(let message): throw .refused(message: message)
        case .disconnected: throw .disconnectedByServer
        case .closed: throw .closedByServer(code: nil)
        }
      }
    }
  }

  private func report(_ report: ConnectionReport, _ bytes: Int) throws(SocketError) {
    guard budget.reserve(bytes) else { throw .flooded }
    reports.yield(report)
  }

  /// The connection is dead if no ping comes in time. Until the namespace is joined, another limit applies.
  private func watchPings() {
    guard let silence = handshake?.silenceLimit else { return }
    setLimit(silence) { .silent($0) }
  }

  // MARK: - To the server

  private func answer(_ frame: WebSocketFrame) throws(SocketError) {
    guard !isOutputOver else { return }
    guard unsentAnswers < Self.maximumUnsentAnswers else { throw .flooded }
    unsentAnswers += 1
    write(frame, .answer)
  }

  private func write(_ frame: WebSocketFrame, _ kind: Output.Kind = .other) {
    outputs.append(Output(bytes: frame.bytes, kind: kind))
  }

  private func writeClose(_ code: Int?) {
    guard !isOutputOver else { return }
    isOutputOver = true
    write(.close(code: code))
  }

  /// The first output stays where it is until all of it is sent, as `ByteConnection.send` demands.
  private func flush(_ bytes: ByteConnection) throws(HTTPError) {
    var complete = 0
    defer { outputs.removeFirst(complete) }
    while complete < outputs.count {
      let output = outputs[complete]
      let taken = try output.bytes[output.sent...].withUnsafeBufferPointer { rest throws(HTTPError) in
        try bytes.send(rest)
      }
      guard taken > 0 else { return }
      outputs[complete].sent += taken
      guard output.sent + taken == output.bytes.count else { continue }
      complete += 1
      switch output.kind {
      case .emission(let number): reports.yield(.written(number))
      case .answer: unsentAnswers -= 1
      case .other: break
      }
    }
  }

  // MARK: - The end

  /// Reports the reason, and closes the connection. Only the first reason counts.
  private func end(_ reason: SocketError) {
    guard !isOver else { return }
    isOver = true
    limit = nil
    guard upgrade == nil else {
      finishUpgrade(.failure(reason))
      isClosed = true
      return
    }
    reports.yield(.ended(reason))
    reports.finish()
    writeClose(reason.closingCode)
    closesWhenWritten = true
    closingEnd = .now + configuration.timeLimits.closing
  }

  /// Leaves the namespace and closes the WebSocket, as the user wants. The connection closes when the server has confirmed
  /// that, or after the time limit: a server that does not read must not keep it.
  private func close() {
    guard !isOver else { return }
    isOver = true
    limit = nil
    reports.finish()
    if conversation.isConnected {
      let packet = SocketPacket(configuration.namespace.withoutQuery, .disconnect)
      write(.text(EnginePacket.message(packet.text).text))
    }
    writeClose(SocketError.normalClosure)
    closingEnd = .now + configuration.timeLimits.closing
  }
}
