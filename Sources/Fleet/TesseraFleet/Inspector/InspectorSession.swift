internal import TesseraPassport

/// What identifies a read under way.
struct InspectedRead: Sendable {
  var session: FleetIdentifier
  var readID: FleetReadID
  var desk: DeskName
  var software: String
  var begin = ContinuousClock.now
}

/// A witnessed read whose chip has to prove something before the verdict.
struct ChipProof: Sendable {
  var dump: DocumentDump
  var witness: ChipAuthenticationWitness
}

/// A read under way and its present step.
struct InspectorSession {
  enum Phase: Sendable {
    /// The desk reads the chip.
    case reading(challenge: [UInt8], PartCollector)
    /// The inspector works.
    case judging
    /// The desk carries out the agreement.
    case proving(challenge: [UInt8], ChipProof)

    /// The most bytes of messages without an answer that an honest desk sends from now on: parts, which are less than
    /// twice as long as the bytes of their files, and one message that gives the read up.
    func unansweredSize(_ limits: FleetLimits) -> Int {
      switch self {
      case .reading(_, let collector) where !collector.hasFailed: 2 * limits.readSize + Self.smallestMessage
      case .reading, .judging, .proving: Self.smallestMessage
      }
    }

    /// The bytes as which a shorter message counts, so that the number of messages is bounded too.
    static let smallestMessage = 1 << 10
  }

  var read: InspectedRead
  var phase: Phase
  /// Changes with each phase, so that the time limit of an earlier one does not end a later one.
  var phaseNumber: Int
  /// Ends the read if its desk is silent for too long; nil while the inspector works.
  var timer: Task<Void, Never>?
  /// The bytes of its files, which count against the limits until the read is removed.
  var heldSize = 0

  var waitsForDesk: Bool {
    switch phase {
    case .reading, .proving: true
    case .judging: false
    }
  }
}

extension DocumentDump {
  /// The bytes of all files.
  var size: Int { files.reduce(0) { $0 + $1.bytes.count } }
}

/// Collects the bytes of a desk's files, which arrive in numbered parts.
struct PartCollector: Sendable {
  private var bytes: [UInt8] = []
  private var count = 0
  private var failure: FleetError?

  /// The bytes that are held.
  var size: Int { bytes.count }

  /// Whether further parts change nothing.
  var hasFailed: Bool { failure != nil }

  /// Adds a part. A desk does not wait for an answer to it, so an error is stated with the files.
  mutating func add(_ part: FilePart, _ limits: FleetLimits) {
    guard failure == nil else { return }
    guard part.number == count else { return fail(.incomplete) }
    guard part.data.bytes.count <= limits.partSize, bytes.count + part.data.bytes.count <= limits.readSize else {
      return fail(.tooLarge)
    }
    bytes += part.data.bytes
    count += 1
  }

  mutating func fail(_ code: FleetError.Code) {
    bytes = []
    failure = FleetError(code)
  }

  /// The files that a statement names, once it has arrived.
  ///
  /// - Throws: `FleetError` with the code `incomplete`, `tooLarge` or `malformed`.
  func files(
    _ statement: FilesStatement, _ limits: FleetLimits
  ) throws(FleetError) -> [(file: ElementaryFile, bytes: [UInt8])] {
    if let failure { throw failure }
    guard statement.parts == count else { throw FleetError(.incomplete) }
    guard statement.data.bytes.count <= limits.partSize,
      bytes.count + statement.data.bytes.count <= limits.readSize, statement.files.count <= limits.fileCount
    else { throw FleetError(.tooLarge) }
    var rest = (bytes + statement.data.bytes)[...]
    var files: [(file: ElementaryFile, bytes: [UInt8])] = []
    for entry in statement.files {
      guard let file = ElementaryFile.all.first(where: { $0.name == entry.name }),
        !files.contains(where: { $0.file == file }), (0...rest.count).contains(entry.length)
      else { throw FleetError(.malformed) }
      files.append((file, Array(rest.prefix(entry.length))))
      rest = rest.dropFirst(entry.length)
    }
    guard rest.isEmpty else { throw FleetError(.malformed) }
    return files
  }
}
