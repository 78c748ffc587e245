import Foundation
import Logging
import ServiceLoad
import Tessera
import TesseraService

/// Requests per second over the service's Unix socket, compared with a bare NIO echo of the same messages.
enum ServiceThroughput {
  static func run(_ folder: String) async throws -> [Measurement] {
    var rows: [Measurement] = []
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    let server = try await BridgeServer.start(
      ServiceConfiguration(socketPath: folder + "/service/bridge.sock"), router: router,
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    let echo = try await BareEcho(path: folder + "/echo.sock")
    for (clients, inFlight) in [(1, 1), (100, 1), (20, 16)] {
      var (ours, floor) = (LoadResult(), LoadResult())
      // Alternately, because the machine's speed drifts.
      for _ in 0..<3 {
        ours = better(ours, try await run(server.socketPath, clients, inFlight))
        floor = better(floor, try await run(folder + "/echo.sock", clients, inFlight))
      }
      let name = "service, \(Self.name(clients: clients, inFlight: inFlight))"
      rows.append(
        Measurement(name, ours.rate, .perSecond, floor: floor.rate, of: "bare NIO echo", goal: floor.rate / 2))
      for (part, share) in [("median", 0.5), ("99 %", 0.99)] {
        rows.append(
          Measurement(
            "\(name), elapsed, \(part)", ours.milliseconds(share), .milliseconds, floor: floor.milliseconds(share),
            of: "bare NIO echo"))
      }
    }
    rows += try await HostileMessages.run(server.socketPath, echo: folder + "/echo.sock")
    try await echo.stop()
    await server.stop()
    return rows
  }

  /// The part of a measurement's name that says how many requests there are at a time.
  static func name(clients: Int, inFlight: Int) -> String {
    let requests = inFlight == 1 ? "1 request" : "\(inFlight) requests"
    return "\(clients == 1 ? "1 client" : "\(clients) clients") with \(requests) under way"
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
