public import Logging
public import ServiceLifecycle
public import TesseraBridge

/// The bridge as a service of a program (swift-service-lifecycle): local programs connect over a Unix socket, web pages
/// over a WebSocket on a loopback address.
///
/// ```swift
/// var configuration = try ServiceConfiguration()
/// configuration.webSocket = try LoopbackAddress("127.0.0.1:8484")
/// configuration.grants = Grants([try Grant("https://wallet.example=nfc,crypto")])
/// let logger = Logger(label: "wallet")
/// let service = BridgeService(configuration, router: router, logger: logger)
/// try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
/// ```
///
/// A program without a `ServiceGroup` uses `BridgeServer`.
public struct BridgeService: ServiceLifecycle.Service {
  private let configuration: ServiceConfiguration
  private let router: MessageRouter
  private let logger: Logger
  private let onReady: @Sendable (BridgeServer) throws -> Void

  /// - Parameters:
  ///   - configuration: the addresses, the grants and the limits.
  ///   - router: answers the requests.
  ///   - logger: receives refused connections and requests, with the grant that would allow them.
  ///   - onReady: is called when the server accepts connections.
  public init(
    _ configuration: ServiceConfiguration, router: MessageRouter, logger: Logger = Logger(label: "tessera"),
    onReady: @escaping @Sendable (BridgeServer) throws -> Void = { _ in }
  ) {
    self.configuration = configuration
    self.router = router
    self.logger = logger
    self.onReady = onReady
  }

  /// Serves until the service group shuts down gracefully or the task is cancelled, then stops the server.
  ///
  /// - Throws: the errors of `BridgeServer.start` and of `onReady`.
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
    logger.info("The service is stopping.")
    await server.stop()
  }
}
