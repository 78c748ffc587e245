import ArgumentParser
import Foundation
import Tessera

struct StorageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage",
    abstract: "Shows and removes what programs and web pages keep: secrets and documents, encrypted.",
    discussion: """
      A file that was changed is noticed. That an older version of an entry was put back is not: keep the folder to \
      yourself.

      Examples:
        tessera storage list
        tessera storage clear https://wallet.example
      """,
    subcommands: [List.self, Clear.self])

  /// What the local user's programs are called, as in a grant.
  fileprivate static let local = "local"

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists who keeps how much, and where the key is that opens it. No content is shown.",
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
      guard let protection else { return Note.write("Nothing is kept yet.") }
      switch protection {
      case .secretService: Note.write("The key is in the keyring.")
      case .keyFile: Note.write("The key is in a file in \(EncryptedStore.defaultPath): keep that folder to yourself.")
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

    private static func name(_ owner: EntryOwner?) -> String? {
      switch owner {
      case .local: StorageCommand.local
      case .web(let origin): origin
      case nil: nil
      }
    }
  }

  struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes all that one web origin keeps, or the local user's programs.",
      discussion: """
        Example:
          tessera storage clear https://wallet.example --yes
        """)

    @Argument(help: "The web origin, or \"local\".") var owner: String
    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false

    func run() async throws {
      let name = owner
      let origin = name == StorageCommand.local ? nil : try WebOrigin(named: name).canonical
      let owner = origin.map { EntryOwner.web(origin: $0) } ?? .local
      if !yes { try Self.ask(origin ?? name) }
      let store = EncryptedStore()
      try await Interruption.cancelling {
        for collection in EntryCollection.allCases { try await store.removeAll(in: collection, of: owner) }
      }
    }

    private static func ask(_ name: String) throws {
      guard let terminal = ControllingTerminal() else {
        throw Failure(.usage, "Removing asks first, and there is no terminal.", remedy: "Give --yes.")
      }
      guard try terminal.confirm("Remove all that \(Terminal.printable(name)) keeps? It cannot be had back.") else {
        throw Failure(.confirmationRefused, "Nothing was removed.", remedy: "Answer y, or give --yes.")
      }
    }
  }
}
