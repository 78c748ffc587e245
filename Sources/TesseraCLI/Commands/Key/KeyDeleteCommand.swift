import ArgumentParser
import Foundation
import Tessera

extension KeyCommand {
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deletes a key for ever.",
      discussion: """
        Whether a person is asked before a page's signature (`tessera key confirm`) belongs to the name, and stays.

        Example:
          tessera key delete release --yes
        """)

    @Argument(help: "What the key is called.") var name: String
    @OptionGroup(title: "Where") var store: KeyStoreOptions
    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false

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
        throw Failure(.usage, "Deleting a key asks first, and there is no terminal.", remedy: "Give --yes.")
      }
      guard try terminal.confirm("Delete the key \(Terminal.printable(name))? It cannot be had back.") else {
        throw Failure(.confirmationRefused, "The key was not deleted.", remedy: "Answer y, or give --yes.")
      }
    }
  }
}
