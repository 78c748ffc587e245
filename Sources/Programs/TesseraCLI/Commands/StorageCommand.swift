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
        tessera storage guards https://wallet.example
        tessera storage unguard https://wallet.example self_private_key
      """,
    subcommands: [List.self, Clear.self, Guards.self, Unguard.self])

  /// The name of the local user's programs, as in a grant.
  fileprivate static let local = "local"

  /// - Parameter name: a web origin, or `local`.
  fileprivate static func caller(_ name: String) throws -> Caller {
    name == local ? .local : .web(origin: try WebOrigin(named: name).canonical)
  }

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
      // After the removal of all.
      if owners.isEmpty { Note.write("The store has no entries.") }
      for owner in owners {
        let counts =
          "\(owner.secrets) secrets, \(owner.documents) documents, \(owner.bytes) bytes"
          + (owner.guards > 0 ? ", \(owner.guards) guarded" : "")
        try StandardOutput.write("\(Terminal.printable(Self.name(owner.owner) ?? "(damaged)"))  \(counts)")
      }
    }

    private static func object(_ protection: EncryptedStore.Protection?, _ owners: [OwnerSummary]) -> JSONValue {
      let list = owners.map { owner -> JSONValue in
        [
          "owner": name(owner.owner).map(JSONValue.string) ?? .null, "secrets": .integer(Int64(owner.secrets)),
          "documents": .integer(Int64(owner.documents)), "guards": .integer(Int64(owner.guards)),
          "bytes": .integer(Int64(owner.bytes)),
        ]
      }
      return ["protection": protection.map { .string($0.rawValue) } ?? .null, "owners": .array(list)]
    }

    fileprivate static func name(_ owner: Caller?) -> String? {
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
      abstract: "Removes all secrets, documents and guards of a web origin or of the local user's programs.",
      discussion: """
        Example:
          tessera storage clear https://wallet.example --yes
        """)

    @Argument(
      help: "The web origin, or \"local\" for the local user's programs.", completion: NameCompletion.owners)
    var owner: String
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

    func run() async throws {
      let owner = try StorageCommand.caller(owner)
      if !yes { try Self.ask(List.name(owner) ?? self.owner) }
      let store = EncryptedStore()
      let isKnown = try await Interruption.cancelling {
        // Entries without an owner are damaged, and may be this one's. What cannot be listed may be removed nevertheless.
        let isKnown = (try? await store.owners())?.contains { $0.owner == owner || $0.owner == nil } ?? true
        try Task.checkCancellation()
        for collection in EntryCollection.allCases { try await store.removeAll(in: collection, of: owner) }
        return isKnown
      }
      if !isKnown { Note.write("\(Terminal.printable(List.name(owner) ?? self.owner)) has no entries to remove.") }
    }

    private static func ask(_ name: String) throws {
      guard let terminal = ControllingTerminal() else {
        throw Failure(.usage, "The command cannot ask for confirmation without a terminal.", remedy: "Use --yes.")
      }
      guard
        try terminal.confirm(
          "Remove all secrets and documents of \(Terminal.printable(name)), and the guards that require a finger? "
            + "This cannot be undone.")
      else {
        throw Failure(.confirmationRefused, "Nothing was removed.", remedy: "Answer y, or use --yes.")
      }
    }
  }

  struct Guards: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "guards",
      abstract: "Lists the names whose entries require a finger, of a web origin or of the local user's programs.",
      discussion: """
        A guard belongs to the name: it remains when the page replaces or removes the entry. A name with characters \
        that a shell or a terminal treats in a special way is printed as a JSON string in single quotation marks, so \
        that it can be copied into a command.

        Example:
          tessera storage guards https://wallet.example
        """)

    @Argument(
      help: "The web origin, or \"local\" for the local user's programs.", completion: NameCompletion.owners)
    var owner: String

    func run() async throws {
      let owner = try StorageCommand.caller(owner)
      let guards = try await Interruption.cancelling { try await EncryptedStore().guardedNames(of: owner) }
      for name in guards.names.compactMap(\.text).sorted() { try StandardOutput.write(QuotedName.shown(name)) }
      for file in guards.damaged { Note.write("The guard in the file \(file) is damaged.") }
    }
  }

  struct Unguard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unguard",
      abstract: "Lets a web origin, or the local user's programs, read an entry without a finger.",
      discussion: """
        Example:
          tessera storage unguard https://wallet.example self_private_key
        """)

    @Argument(
      help: "The web origin, or \"local\" for the local user's programs.", completion: NameCompletion.owners)
    var owner: String
    @Argument(help: "The name of the entry, as `tessera storage guards` prints it.") var name: String

    func run() async throws {
      let entry = try EntryName(try QuotedName.name(name), in: .secureStorage, of: try StorageCommand.caller(owner))
      guard try await Interruption.cancelling({ try await EncryptedStore().removeGuard(from: entry) }) else {
        throw Failure(
          .usage, "This name has no guard.", remedy: "Run `tessera storage guards \(owner)` to list the guarded names.")
      }
    }
  }
}

/// The name of an entry as one word of a shell, which can be passed back. Names can be any text, also one that a page has
/// chosen to look like another, or to be a command where the user pastes it.
enum QuotedName {
  private static let plain = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,".unicodeScalars)

  /// The name itself if it is plain; otherwise a JSON string in ASCII in single quotation marks.
  static func shown(_ name: String) -> String {
    let isPlain = !name.isEmpty && !name.hasPrefix("-") && name.unicodeScalars.allSatisfy(plain.contains)
    return isPlain ? name : "'\(quoted(name))'"
  }

  /// Without apostrophes: these would end the word of the shell.
  private static func quoted(_ name: String) -> String {
    var text = "\""
    for unit in name.utf16 {
      switch unit {
      case 0x22, 0x5C: text += "\\" + String(UnicodeScalar(UInt8(unit)))
      case 0x20..<0x27, 0x28..<0x7F: text += String(UnicodeScalar(UInt8(unit)))
      default: text += unit.unicodeEscape
      }
    }
    return text + "\""
  }

  /// - Parameter text: A name as `shown` writes it, with or without its single quotation marks, which a shell removes.
  /// - Throws: `Failure` of the kind `usage` if it begins with a quotation mark and is no JSON string.
  static func name(_ text: String) throws -> String {
    var text = text[...]
    if text.hasPrefix("'\""), text.hasSuffix("\"'") { text = text.dropFirst().dropLast() }
    guard text.hasPrefix("\"") else { return String(text) }
    guard case .string(let name) = try? JSONValue(text: String(text)) else {
      throw Failure(
        .usage, "The name begins with a quotation mark and is no JSON string.",
        remedy: "Copy it from `tessera storage guards`, with its single quotation marks.")
    }
    return name
  }
}
