import ArgumentParser
import Tessera
import TesseraCommandLine
import TesseraMetrics
import TesseraService
import TesseraVerificationPage

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.serve.name, abstract: SiblingCommand.serve.abstract,
    discussion: ServeOptions.discussion)

  @OptionGroup var options: ServeOptions

  func run() async throws {
    if options.desk.fleet.isGiven { try SiblingProgram.fleet.replaceProcess() }
    ServeOptions.noteUselessGrants(options.grants, webAddress: options.webAddress)
    let metrics = options.metrics ? PrometheusMetrics() : nil
    let logger = Logger(label: "tessera") { _ in JournalLogHandler() }
    let watch = ServiceWatch(options) { logger.warning("\($0)") }
    metrics?.collect { await watch.gauges() }
    let program = ServiceProgram(
      socket: options.socket, webSocket: options.webAddress, admitsSandboxes: options.allowSandboxedBrowsers,
      page: options.page ? .verification(.verificationPage) : nil, grants: options.grants,
      ask: options.ask ? try PermissionDialog.asking() : nil,
      metrics: metrics, isVerbose: options.verbose, socketRemedy: ServeOptions.socketRemedy)
    let signal = try await program.run(options.router(watch: watch)) { server, grants in
      Task { await watch.compareClock() }
      try ServeOptions.showReady(
        [server.socketPath, server.webSocketAddress].compactMap { $0 }, page: server.pageAddress,
        script: server.scriptAddress, grants: grants)
    }
    try Interruption.endRegularly(after: signal?.rawValue)
  }
}

/// Asks for confirmation on the terminal, or without one in a desktop dialogue.
struct CommandConfirmation: ConfirmationPrompting {
  func confirm(_ text: String) async throws -> Bool? {
    if let terminal = ControllingTerminal() {
      return try terminal.confirm(
        text.split(separator: "\n").map { Terminal.printable(String($0)) }.joined(separator: "\n"))
    }
    return try await Desktop().confirm(text)
  }
}
