package import ArgumentParser
import Glibc
internal import Tessera
internal import TesseraThreads

/// Runs the command that a program's arguments name.
package enum CommandProgram {
  /// What the completion script of a shell puts before its request for names (swift-argument-parser, `CommandParser`).
  package static let completionRequest = "---completion"

  /// Runs the command and ends the process with the exit status of its error, if any.
  package static func run(_ root: any ParsableCommand.Type) async -> Never {
    // Keeps the TSS and libnfc from writing to standard error. `setenv` is safe only before threads start.
    setenv("TSS2_LOG", "all+NONE", 0)
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    // Libraries for TLS write the keys of all connections to the file that it names, and child processes inherit it.
    unsetenv("SSLKEYLOGFILE")
    TaskExecutorThreads.install()
    do {
      // Swift reads the arguments from /proc. Without them every command would be a request for help, and succeed.
      guard !CommandLine.arguments.isEmpty else {
        throw Failure(
          .serviceUnavailable, "The arguments of the command cannot be read, because /proc is not mounted.",
          remedy: "Mount it, for example: mount -t proc proc /proc")
      }
      var command = try root.parseAsRoot()
      // Not before: this loads libcrypto, which `--help` does not need.
      OpenSSLCleanup.disable()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      await KeyStores.release()
      ProcessExit.now(status(of: error, root))
    }
    await KeyStores.release()
    ProcessExit.now(EXIT_SUCCESS)
  }

  private static func status(of error: any Error, _ root: any ParsableCommand.Type) -> Int32 {
    let isJSON = CommandLine.arguments.contains("--json")
    // The user is typing a line: the shell would show an error in the midst of it.
    if CommandLine.arguments.dropFirst().first == completionRequest, root.exitCode(for: error) != .success {
      return FailureKind.usage.exitStatus
    }
    if let code = error as? ExitCode { return code.rawValue }
    if error is any FailureConvertible || error is Failure || error is CancellationError {
      return ErrorOutput.report(error, asJSON: isJSON)
    }
    // The remaining errors come from the argument parser: a request for help, or an invalid command line.
    var error = error
    if root.exitCode(for: error) == .success,
      let word = CommandSuggestion.unknownCommand(in: CommandLine.arguments.dropFirst(), root)
    {
      // The parser would show the help of the command above, as if that had been asked for.
      error = ValidationError("Unexpected argument '\(word)'")
    }
    guard root.exitCode(for: error) != .success else {
      let text = UsageLines.folded(root.fullMessage(for: error))
      return (try? StandardOutput.write(text)) == nil ? FailureKind.usage.exitStatus : 0
    }
    guard root.exitCode(for: error) == .validationFailure else { return ErrorOutput.report(error, asJSON: isJSON) }
    if isJSON {
      let message = suggesting(root.message(for: error), root)
      return ErrorOutput.report(
        Failure(
          .usage, message.hasSuffix(".") || message.hasSuffix("?") ? message : message + ".",
          remedy: hasRemedy(message) ? nil : remedy(root.fullMessage(for: error))),
        asJSON: true)
    }
    Note.writeLine(wrongUse(error, root))
    return FailureKind.usage.exitStatus
  }

  /// What is wrong in the arguments, and how the command is called.
  ///
  /// - Parameter error: of the argument parser.
  package static func wrongUse(_ error: any Error, _ root: any ParsableCommand.Type) -> String {
    UsageLines.folded(suggesting(root.fullMessage(for: error), root))
  }

  /// Names the help of the command that was called.
  ///
  /// - Parameter message: of the argument parser. Its last line is `See 'tessera key sign --help' for more information.`
  package static func remedy(_ message: String) -> String {
    let line = message.split(separator: "\n").last { $0.contains("See '") }
    let words = line?.split(separator: "'").dropFirst().first.map(String.init) ?? "tessera --help"
    return words.split(separator: " ").count > 2
      ? "Run `\(words)` for what it takes." : "Run `\(words)` to list the commands."
  }

  /// The verbs with which the messages of the commands say what to do.
  private static let verbs: Set<String> = ["add", "name", "put", "see", "specify", "use", "write"]

  /// Whether a message of the argument parser says itself what to do: in a sentence, or behind a semicolon or a colon.
  package static func hasRemedy(_ message: String) -> Bool {
    let words = message.split(separator: " ")
    return zip([";"] + words, words).contains { previous, word in
      previous.last.map(".;:".contains) == true && verbs.contains(word.lowercased())
    }
  }

  private static func suggesting(_ message: String, _ root: any ParsableCommand.Type) -> String {
    redacted(
      CommandSuggestion.added(to: message, CommandLine.arguments.dropFirst(), root), CommandLine.arguments.dropFirst())
  }

  /// Removes quoted arguments that contain a digit, a filler, a brace or a quotation mark: they may be parts of an MRZ
  /// or of a bridge request. The name of a profile is neither, nor is that of a file.
  package static func redacted(_ message: String, _ arguments: some Sequence<String>) -> String {
    arguments
      .filter { !$0.hasPrefix("--") && $0.contains { $0.isNumber || "<{\"".contains($0) } }
      .filter { ChipProfile(named: $0) == nil && !FileWord.isName($0) }
      .reduce(message) { $0.replacing("'\($1)'", with: "'...'") }
  }
}
