import ArgumentParser
import ReRune
import Tessera
import TesseraCommandLine

struct StringsLanguagesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "languages", abstract: "Lists the languages that there are texts of.",
    discussion: """
      The list has the bundled languages, and those of the last list that the server sent. The server is asked for a new \
      one first; if that fails, a note says why.

      Example:
        tessera strings languages --publish-id pub_3f7a --resources Resources
      """)

  @OptionGroup var options: StringsOptions

  @Flag(help: "Do not ask the server.") var offline = false

  @Flag(help: "Print one JSON object.") var json = false

  func run() async throws {
    let strings = try options.strings()
    if !offline { try await StringsGetCommand.update(strings) }
    let languages = strings.languages
    if json {
      let list = languages.map { language in
        JSONValue.object([
          "identifier": .string(language.identifier), "name": language.name.map(JSONValue.string) ?? .null,
        ])
      }
      return try StandardOutput.write(JSONValue.object(["languages": .array(list)]).text)
    }
    guard !languages.isEmpty else { return Note.write("There are no languages.") }
    let width = languages.map(\.identifier.count).max() ?? 0
    for language in languages {
      let identifier = language.identifier + String(repeating: " ", count: width - language.identifier.count)
      try StandardOutput.write(Terminal.printable(language.name.map { "\(identifier)  \($0)" } ?? language.identifier))
    }
  }
}
