import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine
import TesseraThreads

@main
struct TesseraCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera",
    abstract: "Reads electronic passports, signs, and serves devices to web content.",
    discussion: """
      Example without hardware:
        tessera demo

      Read a passport:
        tessera passport read --document-number L898902C3 \\
          --date-of-birth 740812 --date-of-expiry 120415
      """,
    version: "tessera \(TesseraVersion.current)",
    subcommands: [
      DemoCommand.self, ReadersCommand.self, PassportCommand.self, MRZCommand.self, TrustCommand.self, ChipCommand.self,
      KeyCommand.self,
      HapticCommand.self, StorageCommand.self, StringsCommand.self, CallCommand.self, ServeCommand.self,
      ServiceCommand.self, OpenCommand.self, FlowCommand.self, GrantsCommand.self, DoctorCommand.self,
    ])

  /// Runs the command and ends the process with the exit status of its error, if any.
  static func main() async {
    // Keeps the TSS and libnfc from writing to standard error. `setenv` is safe only before threads start.
    setenv("TSS2_LOG", "all+NONE", 0)
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    OpenSSLCleanup.disable()
    TaskExecutorThreads.install()
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      ProcessExit.now(status(of: error))
    }
    ProcessExit.now(EXIT_SUCCESS)
  }

  private static func status(of error: any Error) -> Int32 {
    let isJSON = CommandLine.arguments.contains("--json")
    if let code = error as? ExitCode { return code.rawValue }
    if error is any FailureConvertible || error is Failure || error is CancellationError {
      return ErrorOutput.report(error, asJSON: isJSON)
    }
    // The remaining errors come from the argument parser: a request for help, or an invalid command line.
    guard exitCode(for: error) != .success else {
      return (try? StandardOutput.write(fullMessage(for: error))) == nil ? FailureKind.usage.exitStatus : 0
    }
    guard exitCode(for: error) == .validationFailure else { return ErrorOutput.report(error, asJSON: isJSON) }
    if isJSON {
      return ErrorOutput.report(
        Failure(.usage, redacted(message(for: error)), remedy: "Run `tessera --help` to list the commands."),
        asJSON: true)
    }
    Note.writeLine(redacted(fullMessage(for: error)))
    return FailureKind.usage.exitStatus
  }

  /// Removes quoted arguments that contain a digit, a filler, a brace or a quotation mark: they may be parts of an MRZ
  /// or of a bridge request.
  private static func redacted(_ message: String) -> String {
    CommandLine.arguments.dropFirst()
      .filter { !$0.hasPrefix("--") && $0.contains { $0.isNumber || "<{\"".contains($0) } }
      .reduce(message) { $0.replacing("'\($1)'", with: "'...'") }
  }
}
