import TesseraService

/// Serves the bridge until the process receives SIGTERM.
func serve(socketPath: String, router: MessageRouter) async throws {
  let logger = Logger(label: "example")
  let service = BridgeService(ServiceConfiguration(socketPath: socketPath), router: router, logger: logger) { server in
    logger.info("Listening on \(server.socketPath).")
  }
  let group = ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger)
  try await group.run()
}

/// Serves the bridge to programs over a Unix socket, and to the pages of one origin over a WebSocket.
func serveWallet(router: MessageRouter) async throws {
  var configuration = try ServiceConfiguration()
  configuration.webSocket = try LoopbackAddress("127.0.0.1:8484")
  configuration.grants = Grants([try Grant("https://wallet.example=nfc,crypto")])
  let logger = Logger(label: "wallet")
  let service = BridgeService(configuration, router: router, logger: logger)
  try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
}

/// Starts and stops a server in a program without a `ServiceGroup`.
func serveBriefly(_ configuration: ServiceConfiguration, router: MessageRouter) async throws {
  let server = try await BridgeServer.start(configuration, router: router)
  print(server.socketPath)
  await server.stop()
}
