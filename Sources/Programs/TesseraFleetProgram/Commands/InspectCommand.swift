import ArgumentParser
import Glibc
import Logging
import TesseraCommandLine
import TesseraFleet
import TesseraService

struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.inspect.name, abstract: SiblingCommand.inspect.abstract,
    discussion: InspectOptions.discussion)

  @OptionGroup var options: InspectOptions

  func run() async throws {
    // A write to a closed connection then fails with EPIPE, instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    let logger = Logger(label: "tessera.fleet") { _ in JournalLogHandler() }
    let settings = try await InspectorSettings(options)
    if settings.acceptsPublishedRoots {
      logger.warning(
        """
        The roots that were published with the country certificates are accepted (--published-roots): whoever can \
        publish, or has the disk of one server, decides which documents are genuine.
        """)
    }
    let signal = try await SignalledServices.run([InspectorService(settings: settings, logger: logger)])
    try Interruption.endRegularly(after: signal?.rawValue)
  }
}
