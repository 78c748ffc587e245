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
        try StandardOutput.write(grants.map(\.description).joined(separator: "\n"))
        for (name, permissions) in Grant.outweighed(in: grants) {
          let names = permissions.map(\.description).sorted().joined(separator: ", ")
          Note.write("A denial outweighs every grant: \(name) may not use \(names).")
        }
        return
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

    @Argument(help: ArgumentHelp("The domains or methods, if they stand apart from the origin.", visibility: .hidden))
    var permissions: [String] = []

    /// `ORIGIN DOMAIN`, as `grants withdraw` takes it, and `ORIGIN = DOMAIN, DOMAIN`, as `grants list` prints it.
    static func text(_ grant: String, _ permissions: [String]) -> String {
      guard !permissions.isEmpty else { return grant }
      let names = permissions.flatMap { $0.split { $0 == "," || $0 == "=" } }.joined(separator: ",")
      guard grant.contains("=") else { return "\(grant)=\(names)" }
      return grant.last == "=" || grant.last == "," ? grant + names : "\(grant),\(names)"
    }

    func run() throws {
      let grant = try Grant(Self.text(grant, permissions))
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

    /// What stands before an equals sign, and the names behind it: `ORIGIN=DOMAIN`, as `grants add` takes it, and
    /// `ORIGIN = DOMAIN, !DOMAIN`, as `grants list` prints it.
    ///
    /// - Throws: `Failure` if nothing stands behind the sign: that must not withdraw everything.
    static func parts(_ origin: String, _ permissions: [String]) throws -> (origin: String, names: [String]) {
      guard ([origin] + permissions).contains(where: { $0.contains("=") }) else { return (origin, permissions) }
      let words = origin.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let names = (words.dropFirst() + permissions).flatMap { $0.split { ",= ".contains($0) } }
      guard let head = words.first?.split(separator: " "), head.count == 1, let name = head.first, !names.isEmpty else {
        throw Failure(
          .usage, "The grant has no origin, or no domain.", remedy: "Write ORIGIN, or ORIGIN DOMAIN[.METHOD].")
      }
      return (String(name), names.map { String($0.first == "!" ? $0.dropFirst() : $0) })
    }

    func run() throws {
      let (origin, names) = try Self.parts(self.origin, permissions)
      let caller: Caller = origin == "local" ? .local : .web(origin: try WebOrigin(named: origin).canonical)
      let permissions: [Grant.Permission?] = names.isEmpty ? [nil] : try names.map { try .init($0) }
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
