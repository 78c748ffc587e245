import FoundationEssentials
import Glibc
public import Logging
import NIOCore
import NIOPosix
public import TesseraBridge
import TesseraCore
internal import TesseraMetrics

/// A running server of the bridge for local programs and web pages.
///
/// ```swift
/// let server = try await BridgeServer.start(configuration, router: router)
/// print(server.socketPath)
/// await server.stop()
/// ```
public final class BridgeServer: Sendable {
  /// The path of the Unix socket.
  public let socketPath: String
  /// The address of the WebSocket, `ws://127.0.0.1:PORT/bridge`; nil if the configuration has none.
  public let webSocketAddress: String?
  /// The address of the script that connects a page to the bridge, `http://127.0.0.1:PORT/bridge.js`; nil without a
  /// WebSocket.
  public var scriptAddress: String? { webSocketAddress.map { "http\($0.dropFirst(2)).js" } }

  /// The address of the service's own page, `http://127.0.0.1:PORT/`; nil without a page or a WebSocket.
  public var pageAddress: String? {
    core.page == nil ? nil : webSocketAddress.map { "http\($0.dropFirst(2).dropLast("bridge".count))" }
  }

  private let core: ServiceCore
  private let group: MultiThreadedEventLoopGroup
  private let listeners: [any Channel]
  private let locks: [SocketLock]

  private init(
    _ core: ServiceCore, _ group: MultiThreadedEventLoopGroup, listeners: [any Channel], locks: [SocketLock],
    socketPath: String, webSocketAddress: String?
  ) {
    self.core = core
    self.group = group
    self.listeners = listeners
    self.locks = locks
    self.socketPath = socketPath
    self.webSocketAddress = webSocketAddress
  }

  /// Opens the sockets and accepts connections until `stop` is called.
  ///
  /// - Throws: `Failure` of the kind `usage` if a path or a port cannot be used, or another service uses it.
  public static func start(
    _ configuration: ServiceConfiguration, router: MessageRouter,
    logger: Logger = Logger(label: "tessera")
  ) async throws -> BridgeServer {
    let metrics = configuration.hasMetrics ? configuration.metrics ?? PrometheusMetrics() : nil
    let core = ServiceCore(
      router: router, grants: configuration.grants, questions: configuration.questions, page: configuration.page,
      limits: configuration.limits,
      admitsSandboxes: configuration.admitsSandboxes, logger: logger, measures: ServiceMeasures(metrics))
    // Short requests are parsed and answered on the event loops. More than two event loops would be idle.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: min(2, System.coreCount))
    var opened = Opened()
    do {
      try await open(configuration, metrics, core, group, &opened)
    } catch {
      for listener in opened.listeners { try? await listener.close() }
      await core.callers.stop()
      try? await group.shutdownGracefully()
      throw error
    }
    return BridgeServer(
      core, group, listeners: opened.listeners, locks: opened.locks,
      socketPath: opened.locks.first?.path ?? configuration.socketPath, webSocketAddress: opened.webSocketAddress)
  }

  private struct Opened {
    var listeners: [any Channel] = []
    var locks: [SocketLock] = []
    var webSocketAddress: String?
  }

  private static func open(
    _ configuration: ServiceConfiguration, _ metrics: PrometheusMetrics?, _ core: ServiceCore,
    _ group: any EventLoopGroup, _ opened: inout Opened
  ) async throws {
    if configuration.isActivatedBySystemd, let descriptor = try ServiceManager.activatedSocket() {
      opened.locks.append(try SocketLock.adopt(descriptor))
      opened.listeners.append(try await UnixListener.listen(descriptor, core: core, group: group))
    } else {
      let (lock, descriptor) = try SocketLock.bind(configuration.socketPath)
      opened.locks.append(lock)
      opened.listeners.append(try await UnixListener.listen(descriptor, core: core, group: group))
    }
    if let metrics, let path = opened.locks.first?.path {
      let (lock, descriptor) = try SocketLock.bind(SocketPath.metrics(beside: path))
      opened.locks.append(lock)
      opened.listeners.append(
        try await MetricsListener.listen(descriptor, metrics: metrics, core: core, group: group))
    }
    if let address = configuration.webSocket {
      // One event loop registers the handshakes in the order in which they are accepted, and the oldest is evicted
      // first. It suffices for pages, since their rate is limited.
      let webSocket = try await WebSocketListener.listen(address, core: core, group: group.next())
      opened.listeners.append(webSocket.channel)
      opened.webSocketAddress = webSocket.address
    }
  }

  /// Replaces the grants, for the connections that are open, too. A request under way is not ended.
  ///
  /// - Returns: whether they are other ones.
  @discardableResult
  public func replaceGrants(with grants: Grants) -> Bool { core.grants.replace(with: grants) }

  /// The number of open connections.
  public var connectionCount: Int { core.quota.count }

  /// Stops accepting connections, cancels the requests under way, writes their responses and closes all connections.
  /// Must be called once.
  public func stop() async {
    for listener in listeners { try? await listener.close() }
    await core.callers.stop()
    await core.asked?.end()
    await core.connections.stop()
    core.lifetime.end()
    try? await group.shutdownGracefully()
    // The locks are released when the server is deallocated, not before this point.
    withExtendedLifetime(locks) {}
  }
}
