internal import NIOCore
internal import TesseraJSON

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

/// The last handler of a connection: has the conversation with the server, watches its pings, and reports.
///
/// Runs on the event loop of the connection.
final class SocketConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = IncomingMessage
  typealias OutboundOut = OutgoingFrame

  private let configuration: SocketConfiguration
  private let budget: ServerEventBudget
  private let reports: AsyncStream<ConnectionReport>.Continuation
  private var conversation: SocketConversation
  private var handshake: EngineHandshake?
  private var context: ChannelHandlerContext?
  /// Of joining the namespace; then of the pings.
  private var timer: Scheduled<Void>?
  private var closingTimer: Scheduled<Void>?
  /// Whether the end was reported, or the client is closing the connection. Nothing is sent from then on.
  private var isOver = false

  init(
    _ configuration: SocketConfiguration, _ budget: ServerEventBudget,
    _ reports: AsyncStream<ConnectionReport>.Continuation
  ) {
    self.configuration = configuration
    self.budget = budget
    self.reports = reports
    conversation = SocketConversation(
      configuration.namespace, authentication: configuration.authentication, limit: configuration.limits.message)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let limit = configuration.timeLimits.joining
    timer = schedule(limit, context) { $0.end(.timeLimit(.joining, limit)) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end(.interrupted)
    closingTimer?.cancel()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(.interrupted)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let error = SocketError(whileOpen: error)
    // The close frame of a server that answers ours ends the connection, too.
    if isOver, case .closedByServer = error { return context.close(promise: nil) }
    end(error)
  }

  private func schedule(
    _ delay: Duration, _ context: ChannelHandlerContext, _ body: @escaping @Sendable (SocketConnectionHandler) -> Void
  ) -> Scheduled<Void> {
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    return context.eventLoop.scheduleTask(in: TimeAmount(delay)) { body(bound.value) }
  }

  // MARK: - From the server

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    do throws(SocketProtocolError) {
      switch unwrapInboundIn(data) {
      case .text(let text):
        for action in try conversation.receive(text) where !isOver { perform(action, text.utf8.count, context) }
      case .binary(let bytes):
        // What is kept of an attachment has no length.
        for action in try conversation.receive(binary: bytes) where !isOver { perform(action, 0, context) }
      }
    } catch {
      end(.invalidMessage(error))
    }
  }

  private func perform(_ action: SocketConversation.Action, _ bytes: Int, _ context: ChannelHandlerContext) {
    switch action {
    case .send(let packet): context.writeAndFlush(wrapOutboundOut(.answer(packet.text)), promise: nil)
    case .opened(let handshake): self.handshake = handshake
    case .pinged: if conversation.isConnected { watchPings(context) }
    case .connected(let identifier):
      guard let handshake else { return }
      watchPings(context)
      report(.joined(handshake, identifier: identifier), 0)
    case .event(let event, let identifier): report(.event(event, identifier, bytes: bytes), bytes)
    case .acknowledged(let identifier, let values): report(.acknowledged(identifier, values, bytes: bytes), bytes)
    case .ended(let reason):
      switch reason {
      case .refused(let message): end(.refused(message: message))
      case .disconnected: end(.disconnectedByServer)
      case .closed: end(.closedByServer(code: nil))
      }
    }
  }

  private func report(_ report: ConnectionReport, _ bytes: Int) {
    guard budget.reserve(bytes) else { return end(.flooded) }
    reports.yield(report)
  }

  /// The connection is dead if no ping comes in time. Until the namespace is joined, another limit applies.
  private func watchPings(_ context: ChannelHandlerContext) {
    guard let limit = handshake?.silenceLimit else { return }
    timer?.cancel()
    timer = schedule(limit, context) { $0.end(.silent(limit)) }
  }

  // MARK: - To the server

  /// Sends an emission.
  ///
  /// - Parameter onBegin: is called before the first byte is given to the channel. It is not called if the connection is
  ///   over, and then nothing is sent.
  func send(_ text: String, number: Int, onBegin: () -> Void) {
    guard !isOver, let context else { return }
    onBegin()
    let reports = reports
    // A failure ends the connection, which is reported.
    context.writeAndFlush(wrapOutboundOut(.message(text))).whenSuccess { reports.yield(.written(number)) }
  }

  // MARK: - The end

  /// Reports the reason, and closes the connection. Only the first reason counts.
  func end(_ reason: SocketError) {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    reports.yield(.ended(reason))
    reports.finish()
    guard let context, context.channel.isActive else { return }
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(.close(reason))).assumeIsolated()
      .whenComplete { _ in bound.value.close(promise: nil) }
    closeLater(context)
  }

  /// Leaves the namespace and closes the WebSocket, as the user wants. The channel closes when the server has confirmed
  /// that, or after the time limit.
  func close() {
    guard !isOver, let context else { return }
    isOver = true
    timer?.cancel()
    reports.finish()
    if conversation.isConnected {
      let packet = SocketPacket(configuration.namespace.withoutQuery, .disconnect)
      context.write(wrapOutboundOut(.message(EnginePacket.message(packet.text).text)), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.close(nil)), promise: nil)
    closeLater(context)
  }

  /// A server that does not read must not keep the connection.
  private func closeLater(_ context: ChannelHandlerContext) {
    closingTimer = schedule(configuration.timeLimits.closing, context) { $0.context?.close(promise: nil) }
  }
}
