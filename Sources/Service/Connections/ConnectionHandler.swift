import Bridge
import Logging
import NIOCore
import NIOPosix

/// One client: takes its messages, lets the router answer those that it may send, and writes answers and events to it and
/// to nobody else. When the client goes, its requests are cancelled.
///
/// Lives on its connection's event loop. What the requests do is not done there, and long messages are not read there;
/// messages are taken in the order in which they came all the same, one after the other.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = Incoming
  typealias OutboundOut = Outgoing

  private let core: ServiceCore
  private let caller: BridgeCaller
  private let connection = BridgeConnection()
  private let reader: MessageReader
  private let isAdmitted: Bool
  private var context: ChannelHandlerContext?

  private struct Request {
    /// nil while its message is read.
    var task: Task<Void, Never>?
  }
  private var requests: [Int: Request] = [:]
  /// Where a request waits for the one before it: what was written is what is read then.
  private static let inOrder: Set<BridgeDomain> = [.secureStorage, .documents]
  private var lastInOrder: [BridgeDomain: Task<Void, Never>] = [:]
  private var lastRequest = 0
  /// Whether a long message is read somewhere else. Those that came after it wait; no more are read from the client.
  private var isReadingLong = false
  private var waiting = CircularBuffer<Incoming>()
  /// Whether the client has sent all that it will.
  private var hasAll = false
  private var isCancelled = false
  private var lastMessage = NIODeadline.now()
  private var idleness: Scheduled<Void>?
  private var limit: Scheduled<Void>?
  private var hasBegun = false
  private var willFlush = false
  /// Bytes that the client has not taken yet.
  private var unread = 0
  /// Takes no more messages, and closes when the requests under way have ended.
  private var isEnding = false
  private var isClosing = false
  /// How the connection ended, unless the client ended it.
  private var reason: ClosingReason?

  /// - Parameter isAdmitted: false for a client that is one too many, and is told so.
  init(_ core: ServiceCore, _ caller: BridgeCaller, isAdmitted: Bool) {
    self.core = core
    self.caller = caller
    reader = MessageReader(core: core, caller: caller, connection: connection)
    self.isAdmitted = isAdmitted
  }

  // MARK: - Beginning and end

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // Added to a WebSocket, which is open already, or to a Unix socket that is about to be.
    if context.channel.isActive { begin(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  private func begin(_ context: ChannelHandlerContext) {
    core.measures.connectionOpened(caller)
    hasBegun = true
    let isServed = core.connections.add(connection, NIOLoopBound(self, eventLoop: context.eventLoop))
    if !isServed { return close(.stopping) }
    if !isAdmitted { return close(.tooManyConnections) }
    core.logger.debug("A client has connected.", metadata: caller.metadata)
    watchIdleness(context, TimeAmount(core.limits.idleTime))
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelRequests()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    cancelRequests()
    idleness?.cancel()
    limit?.cancel()
    self.context = nil
    guard hasBegun else { return }
    core.connections.remove(connection)
    core.measures.connectionClosed(caller, reason)
    core.logger.debug(
      "A client has gone.", metadata: caller.metadata.merging(["reason": "\(reason?.rawValue ?? "-")"]) { $1 })
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The client sends nothing more, and may wait for its answers.
    if event as? ChannelEvent == .inputClosed {
      hasAll = true
      if isClosing { context.close(promise: nil) } else if waiting.isEmpty { end() }
    }
    if let message = event as? Incoming { take(message, context) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // What a client sends after it was told why it is closed is of no interest.
    guard !isClosing else { return }
    guard let reason = error as? ClosingReason else {
      // The connection is broken; what the client could be told would not reach it.
      context.close(promise: nil)
      return
    }
    close(reason)
  }

  /// Cancels what is under way and closes when it has been answered.
  func stop() {
    guard let context, !isClosing else { return }
    reason = .stopping
    cancelRequests()
    end()
    limit = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.limits.stoppingTime)) {
      self.close(.stopping)
    }
  }

  private func end() {
    isEnding = true
    if requests.isEmpty { finish() }
  }

  private func finish() {
    guard let context, !isClosing else { return }
    if reason == .stopping { return close(.stopping) }
    isClosing = true
    closeWhenWritten(.end, context)
  }

  private func close(_ reason: ClosingReason) {
    guard let context, !isClosing else { return }
    self.reason = reason
    isClosing = true
    cancelRequests()
    closeWhenWritten(.closing(reason), context)
  }

  /// Tells the client that nothing follows and leaves it some time to read that: closing at once would take from it
  /// what it has not read.
  private func closeWhenWritten(_ last: Outgoing, _ context: ChannelHandlerContext) {
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(last)).assumeIsolated().whenComplete { _ in
      bound.value.close(mode: .output, promise: nil)
    }
    setReading(true, context)
    limit?.cancel()
    limit = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.limits.closingTime)) {
      self.context?.close(promise: nil)
    }
  }

  /// Ends the connection of a client that has left too much unread.
  func cutOff() {
    guard let context else { return }
    reason = .slowReader
    isClosing = true
    cancelRequests()
    context.close(promise: nil)
  }

  private func cancelRequests() {
    isCancelled = true
    for request in requests.values { request.task?.cancel() }
  }

  /// Wakes once when the connection could have become idle, and not before.
  private func watchIdleness(_ context: ChannelHandlerContext, _ time: TimeAmount) {
    idleness = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
      guard let context = self.context, !self.isClosing else { return }
      let limit = TimeAmount(self.core.limits.idleTime)
      let idle = NIODeadline.now() - self.lastMessage
      if !self.requests.isEmpty { return self.watchIdleness(context, limit) }
      guard idle < limit else { return self.close(.idle) }
      self.watchIdleness(context, limit - idle)
    }
  }

  // MARK: - Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { take(unwrapInboundIn(data), context) }

  private func take(_ message: Incoming, _ context: ChannelHandlerContext) {
    guard !isClosing, !isEnding else { return }
    lastMessage = .now()
    guard !isReadingLong else { return waiting.append(message) }
    let judgement = core.rate.judge(caller, bytes: message.bytes)
    if judgement == .flood { return close(.tooManyRequests) }
    let excess = excess(isTooFast: judgement == .tooFast)
    lastRequest += 1
    let number = lastRequest
    requests[number] = Request()
    let take = taking(message, number, excess, context)
    if message.isShort { return taken(number, take()) }
    isReadingLong = true
    updateReading(context)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    NIOThreadPool.singleton.submit { [loop = core.loop] _ in
      let outcome = take()
      loop.execute(on: bound.eventLoop) { bound.value.takenLong(number, outcome) }
    }
  }

  private func excess(isTooFast: Bool) -> BridgeError? {
    if isTooFast {
      return RequestRate.tooFast
    }
    if requests.count >= core.limits.requestsInFlight {
      return BridgeError("TOO_MANY_REQUESTS", "Too many requests of this connection are under way.")
    }
    return nil
  }

  /// What can be done on any thread.
  private func taking(
    _ message: Incoming, _ number: Int, _ excess: BridgeError?, _ context: ChannelHandlerContext
  ) -> @Sendable () -> MessageReader.Outcome {
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    return { [reader, lastInOrder, loop = core.loop] in
      reader.take(
        message, excess: excess, after: lastInOrder,
        send: { text in loop.execute(on: bound.eventLoop) { bound.value.write(text) } },
        end: { loop.execute(on: bound.eventLoop) { bound.value.finished(number) } })
    }
  }

  private func taken(_ number: Int, _ outcome: MessageReader.Outcome) {
    switch outcome {
    case .begun(let domain, let task):
      // It may have ended before this is known.
      requests[number]?.task = task
      if isCancelled { task.cancel() }
      if Self.inOrder.contains(domain) { lastInOrder[domain] = task }
      return
    case .refused(let answer): write(answer)
    case .dropped: core.measures.dropped()
    case .closed(let reason): close(reason)
    }
    finished(number)
  }

  private func takenLong(_ number: Int, _ outcome: MessageReader.Outcome) {
    isReadingLong = false
    taken(number, outcome)
    guard let context else { return }
    while !isReadingLong, let message = waiting.popFirst() { take(message, context) }
    guard !isReadingLong else { return }
    updateReading(context)
    if hasAll, !isClosing { end() }
  }

  private func finished(_ number: Int) {
    requests[number] = nil
    if isEnding, requests.isEmpty { finish() }
  }

  // MARK: - Writing

  private func write(_ message: BridgeMessage) { write(message.text) }

  /// Writes a message unless the client has left too much unread; then it is closed, and nobody else waits for it.
  private func write(_ text: String) {
    guard let context, !isClosing else { return }
    let bytes = text.utf8.count
    guard unread == 0 || unread + bytes <= core.limits.outgoingBytes else { return close(.slowReader) }
    unread += bytes
    for connection in core.unread.add(bytes, to: connection, of: caller) { core.connections.cutOff(connection) }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { _ in
      self.unread -= bytes
      self.core.unread.remove(bytes, from: self.connection, of: self.caller)
    }
    context.write(wrapOutboundOut(.message(text)), promise: promise)
    // Answers that come together go out together.
    guard !willFlush else { return }
    willFlush = true
    context.eventLoop.assumeIsolated().execute {
      self.willFlush = false
      self.context?.flush()
    }
  }

  /// Who does not read answers is not asked for more requests.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    updateReading(context)
    context.fireChannelWritabilityChanged()
  }

  private func updateReading(_ context: ChannelHandlerContext) {
    setReading(context.channel.isWritable && !isReadingLong || isClosing, context)
  }

  private func setReading(_ isReading: Bool, _ context: ChannelHandlerContext) {
    try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}

extension BridgeCaller {
  /// Origins here have a grant: they are the service's own settings.
  var metadata: Logger.Metadata {
    switch self {
    case .local: ["caller": "local"]
    case .web(let origin): ["caller": "\(origin)"]
    }
  }
}
