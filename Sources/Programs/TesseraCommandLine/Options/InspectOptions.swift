package import ArgumentParser
internal import Tessera

/// The arguments of `tessera inspect`, which `tessera-fleet` receives unchanged.
package struct InspectOptions: ParsableArguments {
  /// Where the country certificates come from.
  package enum Trust: String, ExpressibleByArgument, CaseIterable {
    /// What `tessera trust import` stored on this machine.
    case local
    /// What `tessera trust import --fleet` published, verified again here.
    case bucket
  }

  package static let discussion = """
    An inspector proves and judges the documents that the desks of a fleet read, and keeps the record of each read. \
    Any number of inspectors share the work; a read that one of them loses is begun again by its desk.

    Each read is one line on standard error, without personal data. SIGTERM finishes the reads under way.

    The country certificates are those of this machine, or with --trust bucket those of the fleet. This program \
    verifies them again, and nothing counts in them that does not lead to a --root. With --published-roots those count \
    that came with the certificates: then whoever can publish, or has the disk of one server, decides which documents \
    are genuine.

    --mrz, the three fields or --can are for remote reading at desks that send no key. Usually the desk sends it, \
    since each document has another one.

    Examples:
      tessera inspect --fleet nats://127.0.0.1:4222 --fleet-seed inspector-i1.nk
      tessera inspect --fleet tls://nats.example.org --fleet-ca ca.pem \\
        --fleet-seed inspector-i1.nk --trust bucket --root DE_ROOT_CA.cer \\
        --policy policy.json --metrics
    """

  package init() {}

  @OptionGroup(title: "Fleet") package var fleet: FleetOptions

  @Option(
    help: ArgumentHelp(
      "This inspector's name (default: the one in the name of the seed's file, inspector-NAME.nk).", valueName: "name"))
  package var inspector: String?

  @Option(
    help: ArgumentHelp(
      "Whose country certificates are used: this machine's (local) or the fleet's (bucket).", valueName: "where"))
  package var trust = Trust.local

  @Option(
    help: ArgumentHelp(
      """
      With --trust bucket: the certificate of a country signer to which everything must lead, or its SHA-256 \
      fingerprint. Repeatable.
      """, valueName: "file"), completion: .file())
  package var root: [String] = []

  @Flag(help: "With --trust bucket: accept the roots that were published, in place of --root.")
  package var publishedRoots = false

  @Option(
    name: .customLong("virtual"), defaultAsFlag: CardOptions.standardProfile, parsing: .next,
    help: ArgumentHelp(
      "Judge with the test country of the virtual chip, for trials: anyone can issue its documents.",
      valueName: "profile"))
  package var virtualProfile: String?

  @Option(
    help: ArgumentHelp(
      "What the record of a read has of the document (default: no personal data).", valueName: "file"),
    completion: .file())
  package var policy: String?

  @Option(
    help: ArgumentHelp(
      "The folder of records that the stream has not yet acknowledged (default: in $XDG_DATA_HOME/tessera/fleet).",
      valueName: "dir"), completion: .directory)
  package var spool: String?

  @Option(
    help: ArgumentHelp(
      """
      The data groups that are read of every document, for example 1,2 (default: all that are accessible). A desk can \
      ask for more, and never for fewer.
      """, valueName: "list"))
  package var groups: String?

  @Option(help: ArgumentHelp("The most reads under way at once (default: 256).", valueName: "number"))
  package var reads: Int?

  @Option(
    help: ArgumentHelp(
      "Accept only reads that the desk makes (witnessed), or only those through it (remote) (default: both).",
      valueName: "way"))
  package var fleetReading: DeskOptions.Reading?

  @Flag(help: "Desks that read remotely receive the report, too, and not the outcome alone.")
  package var deskSeesReport = false

  @Flag(help: "Serve metrics in the Prometheus text format on inspect-NAME.sock in $XDG_RUNTIME_DIR/tessera.")
  package var metrics = false

  @OptionGroup(title: "Access key of remote reading") package var key: KeyOptions

  package func validate() throws {
    try fleet.requireServers()
    if virtualProfile != nil, trust == .bucket {
      throw ValidationError("--virtual and --trust bucket are mutually exclusive.")
    }
    try validateRoots()
    _ = try dataGroups()
    if let reads, !(1...4096).contains(reads) { throw ValidationError("--reads must be 1 to 4096.") }
    if name == nil {
      throw ValidationError("--inspector NAME is required: the file of --fleet-seed is not named inspector-NAME.nk.")
    }
  }

  private func validateRoots() throws {
    switch trust {
    case .local:
      if !root.isEmpty { throw ValidationError("--root requires --trust bucket.") }
      if publishedRoots { throw ValidationError("--published-roots requires --trust bucket.") }
    case .bucket:
      if !root.isEmpty, publishedRoots {
        throw ValidationError("--root and --published-roots are mutually exclusive.")
      }
      if root.isEmpty, !publishedRoots {
        throw ValidationError(
          """
          --trust bucket requires --root: without one, whoever can publish certificates decides which documents are \
          genuine. Name the country signer that you verified by other means, or accept this with --published-roots.
          """)
      }
    }
  }

  /// The data groups of every document; nil for all.
  package func dataGroups() throws -> Set<Int>? { try groups.map(DataGroupList.parse) }

  /// The inspector's name; nil if no option states it.
  package var name: String? { inspector ?? fleet.nameInSeedFile(after: "inspector-") }
}

/// The value of `--groups`: numbers of data groups, separated by commas.
package enum DataGroupList {
  /// - Throws: `ValidationError` for another text, or for a number outside 1 to 16.
  package static func parse(_ text: String) throws -> Set<Int> {
    let numbers = text.split(separator: ",").map { Int($0.trimmingSpaces) }
    guard !numbers.isEmpty, numbers.allSatisfy({ ElementaryFile.dataGroupNumbers.contains($0 ?? 0) }) else {
      throw ValidationError("--groups must be a list of numbers from 1 to 16, separated by commas.")
    }
    return Set(numbers.compactMap { $0 })
  }
}
