import Foundation
import Logging
import Service
import ServiceLoad
import Tessera

/// Requests and answers over the service's Unix socket, beside a bare NIO echo of the same messages on the same machine.
enum ServiceThroughput {
  static func print(_ folder: String) async throws {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    let server = try await BridgeServer.start(
      ServiceConfiguration(socketPath: folder + "/service/bridge.sock"), router: router,
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    let echo = try await BareEcho(path: folder + "/echo.sock")
    for (clients, inFlight) in [(1, 1), (100, 1), (20, 16)] {
      var (ours, floor) = (LoadResult(), LoadResult())
      // In turns, since the machine's speed drifts.
      for _ in 0..<3 {
        ours = better(ours, try await run(server.socketPath, clients, inFlight))
        floor = better(floor, try await run(folder + "/echo.sock", clients, inFlight))
      }
      Swift.print(
        """
        service, \(clients) clients with \(inFlight) requests under way: \(Int(ours.rate))/s, \
        p50 \(ours.milliseconds(0.5)) ms, p99 \(ours.milliseconds(0.99)) ms; bare NIO echo \(Int(floor.rate))/s, \
        p50 \(floor.milliseconds(0.5)) ms; ratio \(ours.rate / floor.rate)
        """)
    }
    try await echo.stop()
    await server.stop()
  }

  private static func run(_ path: String, _ clients: Int, _ inFlight: Int) async throws -> LoadResult {
    try await LoadPlan(
      clients: [LoadPlan.Wire](repeating: .lines(path: path), count: clients), requestsPerClient: 20_000 / clients,
      inFlight: inFlight, lineRequests: [.init("lifecycle", "ready", "{}", .anything)]
    ).run()
  }

  private static func better(_ first: LoadResult, _ second: LoadResult) -> LoadResult {
    first.seconds > 0 && first.rate > second.rate ? first : second
  }
}
