internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import TesseraHTTPClient
internal import TesseraThreads

/// Makes connections to a Socket.IO server: TCP, perhaps through a proxy, TLS, and the WebSocket's handshake.
struct SocketConnector: Sendable {
  let configuration: SocketConfiguration
  let settings: ConnectionSettings
  let budget: ServerEventBudget

  private var address: SocketServerAddress { configuration.address }
  private var longestMessage: Int { min(max(configuration.limits.message, 0), EnginePacket.maximumLength) }

  /// - Throws: `SocketError`, or `CancellationError` as soon as the task is cancelled.
  func connect() async throws -> SocketConnection {
    guard !settings.isOffline else { throw SocketError.http(.offline) }
    var proxy: ProxySettings.Proxy?
    do {
      proxy = address.isSecure ? try settings.proxies.proxy(for: HTTPSAddress(address.origin.canonical)) : nil
      let security = address.isSecure ? try NIOSSLContext(configuration: settings.security()) : nil
      let channel = try await channel(through: proxy)
      do {
        return try await upgrade(channel, security)
      } catch {
        channel.close(promise: nil)
        throw error
      }
    } catch {
      // After a cancellation, other errors are its consequences.
      try Task.checkCancellation()
      throw SocketError(whileConnecting: error, host: address.host, proxy: proxy?.host)
    }
  }

  // MARK: - TCP and the proxy

  private func channel(through proxy: ProxySettings.Proxy?) async throws -> any Channel {
    let limit = configuration.timeLimits.connecting
    let error = SocketError.timeLimit(.connecting, limit)
    let release: @Sendable (any Channel) -> Void = { $0.close(promise: nil) }
    return try await withTimeLimit(
      limit, orThrow: error, onLateResult: release, { try await openChannel(proxy, limit) })
  }

  private func openChannel(_ proxy: ProxySettings.Proxy?, _ limit: Duration) async throws -> any Channel {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      // This limit only ends an attempt that nobody waits for any more.
      .connectTimeout(TimeAmount(limit + .seconds(5)))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try Self.closeOnExec(channel) }
      }
      .connect(host: proxy?.host ?? address.host, port: proxy?.port ?? address.port).get()
    guard let proxy else { return channel }
    do {
      try await withTaskCancellationHandler {
        try await Self.tunnel(channel, proxy, to: address)
      } onCancel: {
        channel.close(promise: nil)
      }
    } catch {
      channel.close(promise: nil)
      throw error
    }
    return channel
  }

  /// NIO's sockets are inherited by child processes, here those that show the pages of third parties.
  private static func closeOnExec(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { descriptor in
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  private static func tunnel(
    _ channel: any Channel, _ proxy: ProxySettings.Proxy, to address: SocketServerAddress
  ) async throws {
    try await channel.eventLoop.flatSubmit {
      let promise = channel.eventLoop.makePromise(of: Void.self)
      do {
        try channel.pipeline.syncOperations.addHandler(ProxyTunnelHandler(proxy, to: address, promise))
      } catch {
        promise.fail(error)
      }
      return promise.futureResult
    }.get()
  }

  // MARK: - TLS and the WebSocket

  private func upgrade(_ channel: any Channel, _ security: NIOSSLContext?) async throws -> SocketConnection {
    let limit = configuration.timeLimits.upgrading
    // The caller closes the channel if this fails.
    return try await withTimeLimit(limit, orThrow: SocketError.timeLimit(.upgrading, limit)) {
      try await channel.eventLoop.flatSubmit {
        do {
          return try begin(channel, security)
        } catch {
          return channel.eventLoop.makeFailedFuture(error)
        }
      }.get()
    }
  }

  /// Must be called on the event loop of the channel.
  private func begin(_ channel: any Channel, _ security: NIOSSLContext?) throws -> EventLoopFuture<SocketConnection> {
    let pipeline = channel.pipeline.syncOperations
    if let security {
      try pipeline.addHandler(NIOSSLClientHandler(context: security, serverHostname: address.serverName))
    }
    let upgrader = NIOTypedWebSocketClientUpgrader<UpgradeResult>(
      maxFrameSize: longestMessage, enableAutomaticErrorHandling: false,
      upgradePipelineHandler: { channel, response in
        channel.eventLoop.makeCompletedFuture { .connection(try open(channel, response)) }
      })
    let request = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: address.target,
      headers: ["Host": address.hostHeader, "User-Agent": "tessera"])
    var http = NIOUpgradableHTTPClientPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: request, upgraders: [upgrader], notUpgradingCompletionHandler: RefusedUpgrade.add))
    // The server's first packet can arrive together with its response.
    http.leftOverBytesStrategy = .forwardBytes
    return try pipeline.configureUpgradableHTTPClientPipeline(configuration: http).flatMap { result in
      switch result {
      case .connection(let connection): channel.eventLoop.makeSucceededFuture(connection)
      case .refused(let response): response
      }
    }
  }

  /// Replaces the HTTP handlers after the handshake.
  private func open(_ channel: any Channel, _ response: HTTPResponseHead) throws -> SocketConnection {
    // RFC 6455, 4.1: a server may choose only what the client offered, which is nothing.
    let headers = response.headers
    guard headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }),
      !headers.contains(name: "Sec-WebSocket-Extensions"), !headers.contains(name: "Sec-WebSocket-Protocol")
    else { throw SocketError.noWebSocket }
    let (reports, continuation) = AsyncStream.makeStream(of: ConnectionReport.self)
    let handler = SocketConnectionHandler(configuration, budget, continuation)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(WebSocketMessages(longest: longestMessage))
    try pipeline.addHandler(handler)
    return SocketConnection(reports, channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
  }
}

/// What the server made of the WebSocket's handshake.
enum UpgradeResult: Sendable {
  case connection(SocketConnection)
  /// The future fails with the status of the response.
  case refused(EventLoopFuture<SocketConnection>)
}

/// Gets the response of a server that did not upgrade the connection to a WebSocket.
final class RefusedUpgrade: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let promise: EventLoopPromise<SocketConnection>

  private init(_ promise: EventLoopPromise<SocketConnection>) { self.promise = promise }

  /// Adds this handler to the channel. NIO passes the response on only after this function has returned.
  static func add(to channel: any Channel) -> EventLoopFuture<UpgradeResult> {
    let promise = channel.eventLoop.makePromise(of: SocketConnection.self)
    do {
      try channel.pipeline.syncOperations.addHandler(RefusedUpgrade(promise))
    } catch {
      promise.fail(error)
    }
    return channel.eventLoop.makeSucceededFuture(.refused(promise.futureResult))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    promise.fail(SocketError.http(.status(Int(head.status.code))))
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(SocketError.interrupted)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

  func handlerRemoved(context: ChannelHandlerContext) { promise.fail(SocketError.interrupted) }
}

/// Counts the events of the server that nobody has read yet, over all connections of a client.
final class ServerEventBudget: Sendable {
  private let limits: SocketConfiguration.Limits
  private let unread = Locked((events: 0, bytes: 0))

  init(_ limits: SocketConfiguration.Limits) { self.limits = limits }

  /// Counts an event.
  ///
  /// - Parameter bytes: the length of its text.
  /// - Returns: False if there are too many; it is not counted then.
  func reserve(_ bytes: Int) -> Bool {
    unread.withLock { unread in
      guard unread.events < limits.unreadEvents, bytes <= limits.unreadBytes - unread.bytes else { return false }
      unread.events += 1
      unread.bytes += bytes
      return true
    }
  }

  func release(_ bytes: Int) {
    unread.withLock { unread in
      unread.events -= 1
      unread.bytes -= bytes
    }
  }
}
