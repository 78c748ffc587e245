import Logging
import NIOCore
import NIOPosix
import TesseraBridge
import TesseraCore

/// One client: reads its messages, has the router answer those that its grants allow, and writes their responses and
/// events. When the client disconnects, its requests are cancelled.
///
/// Runs on the event loop of its connection. Requests that wait, and the parsing of long messages, run elsewhere.
/// Messages are processed one after the other, in the order of their arrival.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = Incoming
  typealias OutboundOut = Outgoing

  private let core: ServiceCore
  private let caller: Caller
  private let connection = BridgeConnection()
  private let reader: MessageReader
  private let isAdmitted: Bool
  private var context: ChannelHandlerContext?

  private enum Output {
    /// An encoded response or event.
    case message([UInt8])
    /// The request with this number has sent its response.
    case ended(Int)
  }
  /// nil until the handler is in a pipeline.
  private var output: LoopQueue<Output>?
  private struct Request {
    /// nil while its message is parsed.
    var task: Task<Void, Never>?
  }
  private var requests: [Int: Request] = [:]
  /// The last request of each domain whose requests wait for the one before (`BridgeDomain.isInOrder`).
  private var lastInOrder: [BridgeDomain: Task<Void, Never>] = [:]
  private var lastRequest = 0
  /// Whether a long message is being parsed on another thread. Later messages wait, and no more are read from the
  /// client.
  private var isParsingLong = false
  private var waiting = CircularBuffer<Incoming>()
  /// Whether the client has closed its sending side.
  private var isInputClosed = false
  private var isCancelled = false
  private var lastMessage = NIODeadline.now()
  private var idleTimer: Scheduled<Void>?
  private var closingTimer: Scheduled<Void>?
  private var hasBegun = false
  /// Bytes that were written and that the client has not read.
  private var unread = 0
  /// The part of `unread` that is counted in `core.unread`.
  private var reportedUnread = 0
  private var isWriting = false
  /// Accepts no more messages, and closes when the requests under way have ended.
  private var isEnding = false
  private var isClosing = false
  /// The reason why the service closed the connection; nil if the client closed it.
  private var reason: ClosingReason?

  /// - Parameters:
  ///   - grants: what the caller may do.
  ///   - isAdmitted: false for a client beyond the connection limit; it receives the reason and is closed.
  init(_ core: ServiceCore, _ caller: Caller, _ grants: ConnectionGrants, isAdmitted: Bool) {
    self.core = core
    self.caller = caller
    reader = MessageReader(core: core, caller: caller, grants: grants, connection: connection)
    self.isAdmitted = isAdmitted
  }

  // MARK: - Beginning and end

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    output = LoopQueue(context.eventLoop, core.lifetime) { bound.value.drainOutput() }
    // A WebSocket is active already when this handler is added. A Unix socket becomes active later.
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
    idleTimer?.cancel()
    closingTimer?.cancel()
    self.context = nil
    output?.close()
    output = nil
    guard hasBegun else { return }
    core.connections.remove(connection)
    core.asked?.forget(connection)
    core.measures.connectionClosed(caller, reason)
    core.logger.debug(
      "A client has disconnected.", metadata: caller.metadata.merging(["reason": "\(reason?.rawValue ?? "-")"]) { $1 })
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The client sends nothing more, and may still wait for responses.
    if event as? ChannelEvent == .inputClosed {
      isInputClosed = true
      if isClosing { context.close(promise: nil) } else if waiting.isEmpty { end() }
    }
    if let message = event as? Incoming { receive(message, context) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // After the closing reason was sent, later errors do not matter.
    guard !isClosing else { return }
    guard let reason = error as? ClosingReason else {
      // The connection is broken, so a closing reason would not reach the client.
      context.close(promise: nil)
      return
    }
    close(reason)
  }

  /// Cancels the requests under way and closes when they have been answered.
  func stop() {
    guard let context, !isClosing else { return }
    reason = .stopping
    cancelRequests()
    end()
    closingTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.limits.stoppingTime)) {
      self.close(.stopping)
    }
  }

  private func end() {
    isEnding = true
    if requests.isEmpty { finish() }
  }

  private func finish() {
    if reason == .stopping { return close(.stopping) }
    drainOutput()
    guard let context, !isClosing else { return }
    isClosing = true
    closeWhenWritten(.end, context)
  }

  private func close(_ reason: ClosingReason) {
    // Answers that were queued before go out first.
    drainOutput()
    closeNow(reason)
  }

  private func closeNow(_ reason: ClosingReason) {
    guard let context, !isClosing else { return }
    self.reason = reason
    isClosing = true
    cancelRequests()
    closeWhenWritten(.closing(reason), context)
  }

  /// Writes the last data, closes the sending side and leaves the client time to read: an immediate close would discard
  /// what the client has not read.
  private func closeWhenWritten(_ last: Outgoing, _ context: ChannelHandlerContext) {
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(last)).assumeIsolated().whenComplete { _ in
      bound.value.close(mode: .output, promise: nil)
    }
    setReading(true, context)
    closingTimer?.cancel()
    closingTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.limits.closingTime)) {
      self.context?.close(promise: nil)
    }
  }

  /// Closes the connection at once because its client has left too much unread.
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

  /// Schedules one timer for the earliest time at which the connection can be idle.
  private func watchIdleness(_ context: ChannelHandlerContext, _ time: TimeAmount) {
    idleTimer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
      guard let context = self.context, !self.isClosing else { return }
      let limit = TimeAmount(self.core.limits.idleTime)
      let idle = NIODeadline.now() - self.lastMessage
      if !self.requests.isEmpty { return self.watchIdleness(context, limit) }
      guard idle < limit else { return self.close(.idle) }
      self.watchIdleness(context, limit - idle)
    }
  }

  // MARK: - Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(unwrapInboundIn(data), context) }

  private func receive(_ message: Incoming, _ context: ChannelHandlerContext) {
    guard let output, !isClosing, !isEnding else { return }
    lastMessage = .now()
    guard !isParsingLong else { return waiting.append(message) }
    let judgement = core.rate.judge(caller, bytes: message.bytes, at: lastMessage)
    if judgement == .flood { return close(.tooManyRequests) }
    let excess = excess(isTooFast: judgement == .tooFast)
    lastRequest += 1
    let number = lastRequest
    requests[number] = Request()
    // Can run on any thread.
    let read: @Sendable () -> MessageReader.Outcome = { [reader, lastInOrder] in
      reader.read(
        message, excess: excess, after: lastInOrder, send: { output.append(.message($0)) },
        end: { output.append(.ended(number)) })
    }
    if message.isShort { return process(read(), of: number, output) }
    isParsingLong = true
    updateReading(context)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    NIOThreadPool.singleton.submit { [lifetime = core.lifetime] _ in
      let outcome = read()
      lifetime.execute(on: bound.eventLoop) { bound.value.finishLong(outcome, of: number, output) }
    }
  }

  private func excess(isTooFast: Bool) -> BridgeError? {
    if isTooFast {
      return RequestRate.tooFast
    }
    if requests.count >= core.limits.requestsInFlight {
      return BridgeError("TOO_MANY_REQUESTS", "This connection has too many requests under way.")
    }
    return nil
  }

  private func process(_ outcome: MessageReader.Outcome, of number: Int, _ output: LoopQueue<Output>) {
    switch outcome {
    case .begun(let domain, let task):
      // The request may have ended already. Then there is nothing to record.
      requests[number]?.task = task
      if isCancelled { task.cancel() }
      if domain.isInOrder { lastInOrder[domain] = task }
      return
    case .refused(let answer): output.append(.message(answer.encoded()))
    case .dropped(let message):
      core.measures.dropped()
      core.logDrop(of: message, from: caller)
    case .closed(let reason): close(reason)
    }
    finished(number)
  }

  private func finishLong(_ outcome: MessageReader.Outcome, of number: Int, _ output: LoopQueue<Output>) {
    isParsingLong = false
    process(outcome, of: number, output)
    guard let context else { return }
    while !isParsingLong, let message = waiting.popFirst() { receive(message, context) }
    guard !isParsingLong else { return }
    updateReading(context)
    if isInputClosed, !isClosing { end() }
  }

  private func finished(_ number: Int) {
    requests[number] = nil
    if isEnding, requests.isEmpty { finish() }
  }

  // MARK: - Writing

  /// The size of the writes in which short messages are combined. A write's bytes count as unread until all of it is
  /// written, so a large one would make a steady reader look slow.
  private static let writeBytes = 64 << 10

  private func drainOutput() {
    guard let output else { return }
    var messages: [[UInt8]] = []
    var ended: [Int] = []
    for element in output.removeAll() {
      switch element {
      case .message(let message): messages.append(message)
      case .ended(let number): ended.append(number)
      }
    }
    writeTurn(messages)
    for number in ended { finished(number) }
  }

  /// Writes the messages of one turn of the event loop with one flush. If the client has left too much unread,
  /// closes the connection instead, since all connections share the memory of the service.
  private func writeTurn(_ messages: [[UInt8]]) {
    guard let context, !isClosing, !messages.isEmpty else { return }
    var pending: [[UInt8]] = []
    var bytes = 0
    func writePending() {
      if !pending.isEmpty { write(pending, bytes, context) }
      (pending, bytes) = ([], 0)
    }
    func isTooMuch(_ message: [UInt8]) -> Bool {
      unread > 0 && unread + message.count > core.limits.outgoingBytes
    }
    isWriting = true
    var isSlow = false
    for message in messages {
      if isTooMuch(message) {
        // What the socket accepts now is no longer unread.
        writePending()
        context.flush()
        isSlow = isTooMuch(message)
        if isSlow { break }
      }
      pending.append(message)
      bytes += message.count
      unread += message.count
      if bytes >= Self.writeBytes { writePending() }
    }
    writePending()
    context.flush()
    isWriting = false
    reportUnread()
    if isSlow { closeNow(.slowReader) }
  }

  private func write(_ messages: [[UInt8]], _ bytes: Int, _ context: ChannelHandlerContext) {
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { _ in
      self.unread -= bytes
      if !self.isWriting { self.reportUnread() }
    }
    context.write(wrapOutboundOut(.messages(messages)), promise: promise)
  }

  /// Reports the change of the unread bytes to the total of all connections: once per turn, and not at all for clients
  /// that read everything at once.
  private func reportUnread() {
    let change = unread - reportedUnread
    reportedUnread = unread
    if change > 0 {
      for connection in core.unread.add(change, to: connection, of: caller) { core.connections.cutOff(connection) }
    } else if change < 0 {
      core.unread.remove(-change, from: connection, of: caller)
    }
  }

  /// Reads no more requests from a client that does not read its responses.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    updateReading(context)
    context.fireChannelWritabilityChanged()
  }

  private func updateReading(_ context: ChannelHandlerContext) {
    setReading(context.channel.isWritable && !isParsingLong || isClosing, context)
  }

  private func setReading(_ isReading: Bool, _ context: ChannelHandlerContext) {
    try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}

extension Caller {
  /// The caller for the log. An origin here has a grant or, with `--ask`, is one of this machine, so a page elsewhere that
  /// nobody knows does not control its name.
  var metadata: Logger.Metadata {
    switch self {
    case .local: ["caller": "local"]
    case .web(let origin): ["caller": "\(origin)"]
    }
  }
}
