import ArgumentParser
import Glibc
import TesseraCore

/// Runs any program in the sandbox, for a user who wants to see what is there.
struct SandboxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sandbox",
    abstract: "Runs a program in the sandbox of Passage, to look around in it.",
    discussion: """
      Example:
        tessera-passage sandbox -- /usr/bin/ls -la / /dev /run
      """)

  /// The process is in its sandbox. It checks that.
  @Flag(help: .hidden)
  var confined = false

  @Argument(help: ArgumentHelp("The path of the program, and its arguments.", valueName: "program"))
  var words: [String]

  func run() throws {
    guard confined else {
      try SandboxStart.replaceProcess(arguments: ["sandbox", "--confined", "--"] + words, keeping: nil)
    }
    try SandboxCheck.require()
    execv(words.first ?? "", CStrings.list(words))
    throw Failure(
      .usage, "The program \(PrintableText.of(words.first ?? "")) is not in the sandbox.",
      remedy: "Use the full path of an installed program.")
  }
}
