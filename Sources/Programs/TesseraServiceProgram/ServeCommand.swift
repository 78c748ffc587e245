import ArgumentParser
import TesseraCommandLine
import TesseraService
import TesseraVerificationPage

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.serve.name, abstract: SiblingCommand.serve.abstract,
    discussion: ServeOptions.discussion)

  @OptionGroup var options: ServeOptions

  func run() async throws {
    if options.desk.fleet.isGiven { try SiblingProgram.fleet.replaceProcess() }
    let program = ServiceProgram(
      socket: options.socket, webSocket: options.webAddress, admitsSandboxes: options.allowSandboxedBrowsers,
      page: options.page ? .verification(.verificationPage) : nil, grants: options.grants,
      ask: options.ask ? try PermissionDialog.asking() : nil,
      metrics: options.metrics ? PrometheusMetrics() : nil, isVerbose: options.verbose)
    try await program.run(options.router()) { server, grants in
      try ServeOptions.showReady(
        [server.socketPath, server.webSocketAddress].compactMap { $0 }, page: server.pageAddress,
        script: server.scriptAddress, grants: grants)
    }
  }
}
