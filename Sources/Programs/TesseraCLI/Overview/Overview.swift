import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine
import TesseraThreads

/// What is connected to this machine, by a look of about a second.
struct Overview: Sendable {
  /// Slower answers are left out: the user waits.
  private static let limit = Duration.seconds(1)

  /// One a line.
  let findings: [Finding]
  let next: NextCommand
  private let readers: [ReaderState]

  static func now() async -> Overview {
    async let findings = Doctor.overview(within: limit)
    let readers = (try? await withTimeLimit(limit) { try await Readers.now() }) ?? []
    return Overview(readers: readers.map(ReaderState.init), findings: await findings)
  }

  init(readers: [ReaderState], findings: [Finding]) {
    self.readers = readers
    next = NextCommand(readers: readers.map(\.use), findings: findings)
    // A reader in the list says more than the doctor does of it, unless that has a problem.
    let others = findings.filter { finding in
      if finding.id == "fingerprint.policy" { return false }
      return readers.isEmpty || finding.status == .problem || !["reader", "pcsc"].contains(finding.part)
    }
    self.findings = readers.map(\.finding) + others
  }

  var object: JSONValue {
    [
      "readers": .array(readers.map(Self.object)),
      "findings": .array(findings.map { FindingOutput.object($0) }),
      "next": ["command": .string(next.command), "reason": .string(next.reason)],
    ]
  }

  private static func object(_ reader: ReaderState) -> JSONValue {
    ["name": .string(reader.name), "state": .string(reader.use.rawValue), "text": .string(reader.cause)]
  }
}

extension Finding {
  /// The first word of its identifier: `pcsc`, `reader`, …
  var part: String { String(id.prefix { $0 != "." }) }
}

/// `tessera` without a command: what is connected, and what to type next.
struct OverviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera", abstract: "Looks at the devices of this machine, and names the command to begin with.")

  @Flag(help: "Print one JSON object.") var json = false

  /// Without a terminal nobody looks: `tessera` then prints its help, as it does with `--help`.
  static func isMeant(_ arguments: some Collection<String>) -> Bool {
    arguments.isEmpty ? isatty(STDOUT_FILENO) == 1 : Array(arguments) == ["--json"]
  }

  func run() async throws {
    let overview = try await Interruption.cancelling {
      let overview = await Overview.now()
      try Task.checkCancellation()
      return overview
    }
    if json { return try StandardOutput.write(overview.object.text) }
    let next = overview.next
    try StandardOutput.write(
      """
      \(FindingOutput.causes(overview.findings))

      \(next.reason)
        \(Terminal.styled(next.command, .bold))

      `tessera --help` lists all commands.
      """)
  }
}
