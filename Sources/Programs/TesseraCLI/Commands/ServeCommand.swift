import ArgumentParser
import CTesseraLibraries
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
    // The first request does not wait for a library, and none is missing when no descriptor is left.
    tessera_load_libraries()
    let program = ServiceProgram(
      socket: options.socket, webSocket: options.webAddress, admitsSandboxes: options.allowSandboxedBrowsers,
      page: options.page ? .verification(.verificationPage) : nil, grants: options.grants,
      metrics: options.metrics ? PrometheusMetrics() : nil, isVerbose: options.verbose)
    let router = try options.router()
    // Not after the start: the program changes the environment then.
    var packages: UnsafePointer<CChar>?
    if let file = tessera_wait_for_libraries(&packages) {
      // The request that needs it would end the service, for all of its clients.
      throw Failure(
        .serviceUnavailable, "The C library \(String(cString: file)) cannot be loaded.",
        remedy: packages.map { "Install the package \(String(cString: $0))." } ?? "Install its package.")
    }
    try await program.run(router) { server in
      try ServeOptions.showReady(
        [server.socketPath, server.webSocketAddress].compactMap { $0 }, page: server.pageAddress,
        script: server.scriptAddress)
    }
  }
}
