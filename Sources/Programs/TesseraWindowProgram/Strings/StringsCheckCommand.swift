import ArgumentParser
import ReRune
import Tessera
import TesseraCommandLine

struct StringsCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Asks the server for new texts, and keeps them.",
    discussion: """
      Example:
        tessera strings check --publish-id pub_3f7a --locale de-AT
      """)

  @OptionGroup var options: StringsOptions

  @Flag(help: "Print one JSON object.") var json = false

  func run() async throws {
    let strings = try options.strings()
    let report = try await Interruption.cancelling { try await strings.checkOrThrow() }
    // New texts that are not kept are no success of this command.
    if let failure = report.storageFailure { throw failure }
    let result = report.result
    let locales = result.updatedLocales.sorted()
    if json {
      let object: JSONValue = [
        "status": .string(result.status.rawValue), "revision": .integer(Int64(strings.revision)),
        "updatedLocales": .array(locales.map(JSONValue.string)),
      ]
      return try StandardOutput.write(object.text)
    }
    let change = locales.isEmpty ? "No new texts." : "New texts for \(locales.joined(separator: ", "))."
    try StandardOutput.write("\(Terminal.printable(change)) Revision \(strings.revision).")
  }
}
