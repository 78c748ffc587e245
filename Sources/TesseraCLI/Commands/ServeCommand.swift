import ArgumentParser
import Tessera
import TesseraCommandLine
import TesseraService
import TesseraVerificationPage

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves the bridge to this user's programs and, on request, to web pages.",
    discussion: ServeOptions.discussion)

  @OptionGroup var options: ServeOptions

  func run() async throws {
    if options.desk.fleet.isGiven { try ProgramStart.fleet.replaceProcess() }
    let program = ServiceProgram(
      socket: options.socket, webSocket: options.webAddress,
      page: options.page ? .verification(.verificationPage) : nil, grants: options.grants,
      metrics: options.metrics ? PrometheusMetrics() : nil, isVerbose: options.verbose)
    try await program.run(try options.router()) { server in
      try ServeOptions.showReady(
        [server.socketPath, server.webSocketAddress].compactMap { $0 }, page: server.pageAddress,
        script: server.scriptAddress)
    }
  }
}
