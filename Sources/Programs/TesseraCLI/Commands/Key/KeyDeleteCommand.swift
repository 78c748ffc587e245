import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete",
      abstract: "Deletes a key permanently.",
      discussion: """
        The confirmation policy (`tessera key confirm`) applies to the name and remains.

        Example:
          tessera key delete release --yes
        """)

    @Argument(help: "The name of the key.", completion: NameCompletion.keys) var name: String
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

    func run() async throws {
      let text = name
      let name = try store.name(text)
      let keys = try store.existing()
      let yes = yes
      try await Interruption.cancelling {
        if !yes {
          _ = try await keys.key(name)
          try Self.ask(text)
        }
        guard try await keys.delete(name) else { throw KeyStoreError.notFound(name, store: keys.designation) }
      }
    }

    private static func ask(_ name: String) throws {
      guard let terminal = ControllingTerminal() else {
        throw Failure(.usage, "The command cannot ask for confirmation without a terminal.", remedy: "Use --yes.")
      }
      guard try terminal.confirm("Delete the key \(Terminal.printable(name))? This cannot be undone.") else {
        throw Failure(.confirmationRefused, "The key was not deleted.", remedy: "Answer y, or use --yes.")
      }
    }
  }
}
