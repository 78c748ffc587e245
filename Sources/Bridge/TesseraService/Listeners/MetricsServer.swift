package import Logging
import NIOCore
import NIOPosix
package import TesseraMetrics

/// Serves the metrics of a program that serves no bridge, to the user who runs it:
/// `curl --unix-socket PATH http://localhost/metrics`.
package final class MetricsServer: Sendable {
  private let core: ServiceCore
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let lock: SocketLock

  private init(_ core: ServiceCore, _ group: MultiThreadedEventLoopGroup, _ listener: any Channel, _ lock: SocketLock) {
    self.core = core
    self.group = group
    self.listener = listener
    self.lock = lock
  }

  /// Opens the socket and answers until `stop` is called.
  ///
  /// - Parameter path: the absolute path of the socket. Its folder is created if it is missing.
  /// - Throws: `Failure` of the kind `usage` if the path cannot be used, or another program uses it.
  package static func start(
    _ path: String, metrics: PrometheusMetrics, logger: Logger
  ) async throws -> MetricsServer {
    let core = ServiceCore(
      router: MessageRouter(handlers: []), grants: Grants(), limits: ServiceLimits(), logger: logger,
      measures: ServiceMeasures(metrics))
    let (lock, descriptor) = try SocketLock.bind(path)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let listener = try await MetricsListener.listen(descriptor, metrics: metrics, core: core, group: group)
      return MetricsServer(core, group, listener, lock)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Closes the socket. Must be called once.
  package func stop() async {
    try? await listener.close()
    try? await group.shutdownGracefully()
    withExtendedLifetime(lock) {}
  }
}
