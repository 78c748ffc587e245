import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine
import TesseraGrants

struct GrantsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grants",
    abstract: "Lists and changes what web pages may do.",
    discussion: """
      The grants stand in $XDG_CONFIG_HOME/tessera/grants. The window asks the user and writes the answers there; an \
      exclamation mark denies. A change applies to a running service at once.

      Examples:
        tessera grants
        tessera grants add https://wallet.example=nfc,crypto
        tessera grants withdraw https://wallet.example crypto
        tessera grants withdraw https://shop.example
      """,
    subcommands: [List.self, Add.self, Withdraw.self], defaultSubcommand: List.self)

  static var path: String { GrantsFile.standardPath(ProcessInfo.processInfo.environment) }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the grants.",
      discussion: """
        Each line is one origin with its domains and methods. An exclamation mark before one denies it.

        Examples:
          tessera grants
          tessera grants list --json
        """)

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      let grants = try GrantsFile.read(GrantsCommand.path)
      guard json else {
        guard !grants.isEmpty else {
          return Note.writeLine("No page may use a device: \(GrantsCommand.path) is empty.")
        }
        return try StandardOutput.write(grants.map(\.description).joined(separator: "\n"))
      }
      let rows = grants.map { grant -> JSONValue in
        [
          "origin": .string(grant.name), "granted": Self.names(grant.permissions), "denied": Self.names(grant.denials),
        ]
      }
      try StandardOutput.write((["file": .string(GrantsCommand.path), "grants": .array(rows)] as JSONValue).text)
    }

    private static func names(_ permissions: Set<Grant.Permission>) -> JSONValue {
      .array(permissions.map(\.description).sorted().map(JSONValue.string))
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Adds a grant.",
      discussion: """
        A domain alone grants all of its methods. A grant for "local" restricts this user's programs, which have full \
        access without one.

        Examples:
          tessera grants add https://wallet.example=nfc,crypto
          tessera grants add 'https://shop.example=!nfc'
        """)

    @Argument(
      help: ArgumentHelp(
        "The grant; an exclamation mark before a domain denies it.", valueName: "origin=domain,…"))
    var grant: String

    func run() throws {
      let grant = try Grant(grant)
      try GrantsFile.add(grant, to: GrantsCommand.path)
      Note.writeLine("Added: \(grant). It applies to a running service at once.")
    }
  }

  struct Withdraw: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "withdraw",
      abstract: "Removes what was granted or denied to an origin.",
      discussion: """
        The window asks the user again when the page needs what was withdrawn.

        Examples:
          tessera grants withdraw https://wallet.example crypto
          tessera grants withdraw https://shop.example
        """)

    @Argument(
      help: ArgumentHelp("The origin, or local for this user's programs.", valueName: "origin"),
      completion: NameCompletion.owners)
    var origin: String

    @Argument(help: ArgumentHelp("The domains or methods; everything without one.", valueName: "domain[.method]"))
    var permissions: [String] = []

    func run() throws {
      let caller: Caller = origin == "local" ? .local : .web(origin: try WebOrigin(named: origin).canonical)
      let permissions: [Grant.Permission?] = permissions.isEmpty ? [nil] : try permissions.map { try .init($0) }
      for permission in permissions {
        guard let removed = try GrantsFile.withdraw(permission, of: caller, from: GrantsCommand.path) else {
          throw Failure(
            .usage, "The grants file has no such grant.", remedy: "Run `tessera grants` to list the grants.")
        }
        try StandardOutput.write("withdrawn: \(removed)")
      }
    }
  }
}
