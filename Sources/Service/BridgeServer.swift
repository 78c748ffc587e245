public import Bridge
import Failures
import Foundation
public import Logging
import NIOCore
import NIOPosix

/// The bridge, served to other programs and to pages in a browser until it is stopped.
public final class BridgeServer: Sendable {
  /// The path of the Unix socket.
  public let socketPath: String
  /// The address of the WebSocket, where there is one: `ws://127.0.0.1:PORT/bridge`.
  public let webSocketAddress: String?
  /// Where pages load the bridge from, where they can: `http://127.0.0.1:PORT/bridge.js`.
  public var scriptAddress: String? { webSocketAddress.map { "http\($0.dropFirst(2)).js" } }

  private let core: ServiceCore
  private let group: MultiThreadedEventLoopGroup
  private let listeners: [any Channel]
  private let holds: [SocketHold]

  private init(
    _ core: ServiceCore, _ group: MultiThreadedEventLoopGroup, listeners: [any Channel], holds: [SocketHold],
    socketPath: String, webSocketAddress: String?
  ) {
    self.core = core
    self.group = group
    self.listeners = listeners
    self.holds = holds
    self.socketPath = socketPath
    self.webSocketAddress = webSocketAddress
  }

  /// Begins to serve.
  ///
  /// - Throws: `Failure` of the kind `usage`: a path or a port cannot be used, or another service uses it.
  public static func start(
    _ configuration: ServiceConfiguration, router: MessageRouter,
    logger: Logger = Logger(label: "tessera") { _ in JournalLogHandler() }
  ) async throws -> BridgeServer {
    let metrics = configuration.hasMetrics ? PrometheusMetrics() : nil
    let core = ServiceCore(
      router: router, grants: configuration.grants, limits: configuration.limits, logger: logger,
      measures: ServiceMeasures(metrics))
    // Reading and writing is all that is done on the loop, and one thread is enough for that.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var opened = Opened()
    do {
      try await open(configuration, metrics, core, group, &opened)
    } catch {
      for listener in opened.listeners { try? await listener.close() }
      try? await group.shutdownGracefully()
      throw error
    }
    return BridgeServer(
      core, group, listeners: opened.listeners, holds: opened.holds,
      socketPath: opened.holds.first?.path ?? configuration.socketPath, webSocketAddress: opened.webSocketAddress)
  }

  private struct Opened {
    var listeners: [any Channel] = []
    var holds: [SocketHold] = []
    var webSocketAddress: String?
  }

  private static func open(
    _ configuration: ServiceConfiguration, _ metrics: PrometheusMetrics?, _ core: ServiceCore,
    _ group: any EventLoopGroup, _ opened: inout Opened
  ) async throws {
    if configuration.isActivatedBySystemd, let descriptor = try ServiceManager.activatedSocket() {
      opened.holds.append(try SocketHold.adopt(descriptor))
      opened.listeners.append(try await UnixDoor.listen(descriptor, core: core, group: group))
    } else {
      let (hold, descriptor) = try SocketHold.bind(configuration.socketPath)
      opened.holds.append(hold)
      opened.listeners.append(try await UnixDoor.listen(descriptor, core: core, group: group))
    }
    if let metrics, let path = opened.holds.first?.path {
      let (hold, descriptor) = try SocketHold.bind(SocketPath.metrics(beside: path))
      opened.holds.append(hold)
      opened.listeners.append(
        try await MetricsDoor.listen(descriptor, metrics: metrics, core: core, group: group))
    }
    if let address = configuration.webSocket {
      let door = try await WebSocketDoor.listen(address, core: core, group: group)
      opened.listeners.append(door.channel)
      opened.webSocketAddress = door.address
    }
  }

  /// How many connections are open.
  public var connectionCount: Int { core.admission.count }

  /// Stops: accepts nobody more, cancels the requests under way, writes their answers and closes. To be called once.
  public func stop() async {
    for listener in listeners { try? await listener.close() }
    await core.connections.stop()
    core.loop.end()
    try? await group.shutdownGracefully()
    // The paths are free when this object goes.
    withExtendedLifetime(holds) {}
  }
}
