import Tessera
import TesseraThreads

/// What is connected to this machine, by a look of about a second.
struct Overview: Sendable {
  /// Slower answers are left out: a person waits.
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
