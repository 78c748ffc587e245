import ArgumentParser
import ReRune
import Tessera
import TesseraCommandLine

struct StringsGetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Prints the text for a key, and where it came from.",
    discussion: """
      The text is that of the last update, else the bundled one, else the one of --value, else the key. The server is \
      asked for new texts first; if that fails, a note says why, and the text of the last update is printed. With --count \
      the text is the form for that number; what stands for the number in it (%lld) is printed as it is.

      Examples:
        tessera strings get home_title --publish-id pub_3f7a
        tessera strings get files --count 3 --publish-id pub_3f7a
        tessera strings get home_title --publish-id pub_3f7a --offline --json
      """)

  @Argument(help: "The key of the text.") var key: String

  @OptionGroup var options: StringsOptions

  @Option(help: ArgumentHelp("The text if there is no other.", valueName: "text")) var value: String?

  @Option(help: ArgumentHelp("Print the form of the text for this number.", valueName: "number")) var count: Int?

  @Flag(help: "Do not ask the server.") var offline = false

  @Flag(help: "Print one JSON object.") var json = false

  /// Asks the server for new texts. If that fails, the last ones stay, and a note says why.
  static func update(_ strings: OverTheAirStrings) async throws {
    do {
      let report = try await Interruption.cancelling { try await strings.checkOrThrow() }
      if let failure = report.storageFailure { ErrorOutput.note(failure) }
    } catch let failure as Failure where failure.kind != .cancelled {
      ErrorOutput.note(failure)
    }
  }

  func run() async throws {
    let strings = try options.strings()
    if !offline { try await Self.update(strings) }
    let found = count.map { strings.text(key, count: $0, value: value) } ?? strings.text(key, value: value)
    if json {
      let object: JSONValue = [
        "key": .string(key), "text": .string(found.text), "source": .string(found.source.name),
        "revision": .integer(Int64(strings.revision)),
      ]
      return try StandardOutput.write(object.text)
    }
    try StandardOutput.write(
      found.text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { Terminal.printable(String($0)) }.joined(separator: "\n"))
    Note.write("Source: \(found.source.explanation).")
  }
}

extension TextSource {
  fileprivate var name: String {
    switch self {
    case .update: "update"
    case .bundled: "bundled"
    case .default: "default"
    case .key: "key"
    }
  }

  fileprivate var explanation: String {
    switch self {
    case .update: "update (a text of the server)"
    case .bundled: "bundled (a text of --resources)"
    case .default: "default (the text of --value)"
    case .key: "key (there is no text)"
    }
  }
}
