public import Bridge
public import Logging
public import ServiceLifecycle

/// The server as a service of a program: runs until it is told to stop gracefully (by a signal, in a `ServiceGroup`) or its
/// task is cancelled.
public struct BridgeService: ServiceLifecycle.Service {
  private let configuration: ServiceConfiguration
  private let router: MessageRouter
  private let logger: Logger
  private let onReady: @Sendable (BridgeServer) throws -> Void

  /// - Parameter onReady: is called when requests are accepted.
  public init(
    _ configuration: ServiceConfiguration, router: MessageRouter, logger: Logger,
    onReady: @escaping @Sendable (BridgeServer) throws -> Void
  ) {
    self.configuration = configuration
    self.router = router
    self.logger = logger
    self.onReady = onReady
  }

  public func run() async throws {
    let server = try await BridgeServer.start(configuration, router: router, logger: logger)
    do {
      try onReady(server)
      ServiceManager.isReady()
      try? await gracefulShutdown()
    } catch {
      await server.stop()
      throw error
    }
    ServiceManager.isStopping()
    logger.info("The service stops.")
    await server.stop()
  }
}
