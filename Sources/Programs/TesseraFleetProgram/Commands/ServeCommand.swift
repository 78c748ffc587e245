import ArgumentParser
import Logging
import TesseraCommandLine
import TesseraFleet
import TesseraMetrics
import TesseraService
import TesseraVerificationPage

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves the bridge to programs and pages; inspectors judge the documents.",
    discussion: ServeOptions.discussion)

  @OptionGroup var options: ServeOptions

  func validate() throws {
    try options.desk.fleet.requireServers()
    try options.requireWitnessedReading()
  }

  func run() async throws {
    ServeOptions.noteUselessGrants(options.grants, webAddress: options.webAddress)
    let metrics = options.metrics ? PrometheusMetrics() : nil
    let program = ServiceProgram(
      socket: options.socket, webSocket: options.webAddress, admitsSandboxes: options.allowSandboxedBrowsers,
      page: options.page ? .verification(.verificationPage) : nil, grants: options.grants,
      ask: options.ask ? try PermissionDialog.asking() : nil,
      metrics: metrics, isVerbose: options.verbose, socketRemedy: ServeOptions.socketRemedy)
    let logger = Logger(label: "tessera.fleet") { _ in JournalLogHandler() }
    let machine = ServiceWatch(options) { logger.warning("\($0)") }
    metrics?.collect { await machine.gauges() }
    try await options.desk.withDesk(logger: logger, metrics: FleetMetrics(metrics)) { desk, watch in
      let router = try options.router(inspection: FleetInspection(desk: desk, mode: options.desk.mode), watch: machine)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await watch.untilClosed() }
        group.addTask {
          let signal = try await program.run(router) { server, grants in
            Task { await machine.compareClock() }
            try ServeOptions.showReady(
              [server.socketPath, server.webSocketAddress].compactMap { $0 }, page: server.pageAddress,
              script: server.scriptAddress, grants: grants)
          }
          try Interruption.endRegularly(after: signal?.rawValue)
        }
        // The first that ends, ends the other: a signal the service, a closed connection all of it.
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }
}
