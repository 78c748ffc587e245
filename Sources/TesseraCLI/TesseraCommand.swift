import ArgumentParser
import Foundation
import Tessera
import Threads

@main
struct TesseraCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera",
    abstract: "Reads electronic passports, signs, and serves devices to web content.",
    discussion: """
      Try it without any hardware:
        tessera demo

      Read the passport on the reader:
        tessera passport read --document-number L898902C3 \\
          --date-of-birth 740812 --date-of-expiry 120415
      """,
    version: "tessera \(Tessera.version)",
    subcommands: [
      DemoCommand.self, ReadersCommand.self, PassportCommand.self, ChipCommand.self, KeyCommand.self,
      HapticCommand.self, StorageCommand.self, CallCommand.self, ServeCommand.self, ServiceCommand.self,
      DoctorCommand.self,
    ])

  /// Runs the command of the arguments and turns every error into the exit status of the contract.
  static func main() async {
    // The TSS and libnfc write their troubles to standard error, where only our own words belong. Before any thread is
    // started.
    setenv("TSS2_LOG", "all+NONE", 0)
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    OpenSSLCleanup.leaveToKernel()
    TaskThreads.install()
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      ProgramEnd.now(status(of: error))
    }
    ProgramEnd.now(EXIT_SUCCESS)
  }

  private static func status(of error: any Error) -> Int32 {
    let isJSON = CommandLine.arguments.contains("--json")
    if let code = error as? ExitCode { return code.rawValue }
    if error is any ExplainedError || error is Failure || error is CancellationError {
      return ErrorOutput.report(Failure(error), asJSON: isJSON)
    }
    // Everything that the argument parser throws: help is asked for, or the command line is wrong.
    guard exitCode(for: error) != .success else {
      return (try? StandardOutput.write(fullMessage(for: error))) == nil ? FailureKind.usage.exitStatus : 0
    }
    guard exitCode(for: error) == .validationFailure else { return ErrorOutput.report(Failure(error), asJSON: isJSON) }
    if isJSON {
      return ErrorOutput.report(
        Failure(.usage, redacted(message(for: error)), remedy: "`tessera --help` shows the commands."), asJSON: true)
    }
    Note.writeLine(redacted(fullMessage(for: error)))
    return FailureKind.usage.exitStatus
  }

  /// The parser quotes arguments. Words are harmless; whatever has a digit, a filler or a brace may be a part of an
  /// MRZ or of a bridge call.
  private static func redacted(_ message: String) -> String {
    CommandLine.arguments.dropFirst()
      .filter { !$0.hasPrefix("--") && $0.contains { $0.isNumber || "<{\"".contains($0) } }
      .reduce(message) { $0.replacing("'\($1)'", with: "'...'") }
  }
}
