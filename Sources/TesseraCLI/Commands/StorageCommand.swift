import ArgumentParser
import Tessera
import TesseraCommandLine

struct StorageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage",
    abstract: "Lists and removes the encrypted secrets and documents of programs and web pages.",
    discussion: """
      A modified file is detected. An entry that was replaced by an older version of itself is not: restrict access to \
      the folder.

      Examples:
        tessera storage list
        tessera storage clear https://wallet.example
      """,
    subcommands: [List.self, Clear.self])

  /// The name of the local user's programs, as in a grant.
  fileprivate static let local = "local"

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract:
        "Lists the owners, the number and size of their entries, and the location of the encryption key.",
      discussion: """
        Example:
          tessera storage list --json
        """)

    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
      let store = EncryptedStore()
      let (protection, owners) = try await Interruption.cancelling {
        (try await store.protection(), try await store.owners())
      }
      if json { return try StandardOutput.write(Self.object(protection, owners).text) }
      guard let protection else { return Note.write("The store is empty.") }
      switch protection {
      case .secretService: Note.write("The encryption key is in the keyring.")
      case .keyFile:
        Note.write("The encryption key is in a file in \(EncryptedStore.defaultPath). Restrict access to that folder.")
      }
      for owner in owners {
        let counts = "\(owner.secrets) secrets, \(owner.documents) documents, \(owner.bytes) bytes"
        try StandardOutput.write("\(Terminal.printable(Self.name(owner.owner) ?? "(damaged)"))  \(counts)")
      }
    }

    private static func object(_ protection: EncryptedStore.Protection?, _ owners: [OwnerSummary]) -> JSONValue {
      let list = owners.map { owner -> JSONValue in
        [
          "owner": name(owner.owner).map(JSONValue.string) ?? .null, "secrets": .integer(Int64(owner.secrets)),
          "documents": .integer(Int64(owner.documents)), "bytes": .integer(Int64(owner.bytes)),
        ]
      }
      return ["protection": protection.map { .string($0.rawValue) } ?? .null, "owners": .array(list)]
    }

    private static func name(_ owner: Caller?) -> String? {
      switch owner {
      case .local: StorageCommand.local
      case .web(let origin): origin
      case nil: nil
      }
    }
  }

  struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear",
      abstract: "Removes all secrets and documents of a web origin or of the local user's programs.",
      discussion: """
        Example:
          tessera storage clear https://wallet.example --yes
        """)

    @Argument(help: "The web origin, or \"local\" for the local user's programs.") var owner: String
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

    func run() async throws {
      let name = owner
      let origin = name == StorageCommand.local ? nil : try WebOrigin(named: name).canonical
      let owner = origin.map { Caller.web(origin: $0) } ?? .local
      if !yes { try Self.ask(origin ?? name) }
      let store = EncryptedStore()
      try await Interruption.cancelling {
        for collection in EntryCollection.allCases { try await store.removeAll(in: collection, of: owner) }
      }
    }

    private static func ask(_ name: String) throws {
      guard let terminal = ControllingTerminal() else {
        throw Failure(.usage, "The command cannot ask for confirmation without a terminal.", remedy: "Use --yes.")
      }
      guard
        try terminal.confirm("Remove all secrets and documents of \(Terminal.printable(name))? This cannot be undone.")
      else {
        throw Failure(.confirmationRefused, "Nothing was removed.", remedy: "Answer y, or use --yes.")
      }
    }
  }
}
