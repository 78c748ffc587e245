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
