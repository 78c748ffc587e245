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
  }

  var read: InspectedRead
  var phase: Phase
  /// Changes with each phase, so that the time limit of an earlier one does not end a later one.
  var phaseNumber: Int
  /// Ends the read if its desk is silent for too long; nil while the inspector works.
  var timer: Task<Void, Never>?

  var waitsForDesk: Bool {
    switch phase {
    case .reading, .proving: true
    case .judging: false
    }
  }

  /// The bytes that count against the limit of all reads.
  var heldSize: Int {
    switch phase {
    case .reading(_, let collector): collector.size
    case .judging: 0
    case .proving(_, let proof): proof.dump.size
    }
  }
}

extension DocumentDump {
  /// The bytes of all files.
  var size: Int { files.reduce(0) { $0 + $1.bytes.count } }
}
