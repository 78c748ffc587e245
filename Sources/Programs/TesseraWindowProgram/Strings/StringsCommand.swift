import ArgumentParser
import TesseraCommandLine

struct StringsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.strings.name, abstract: SiblingCommand.strings.abstract,
    discussion: """
      The texts of the last update are kept in $XDG_CACHE_HOME/tessera/rerune.

      Examples:
        tessera strings check --publish-id pub_3f7a
        tessera strings get home_title --publish-id pub_3f7a --locale de-AT
        tessera strings languages --publish-id pub_3f7a
      """,
    subcommands: [StringsCheckCommand.self, StringsGetCommand.self, StringsLanguagesCommand.self])
}
