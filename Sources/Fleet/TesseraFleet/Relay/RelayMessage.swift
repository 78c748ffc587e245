internal import TesseraPassport

/// A request of an inspector to the desk whose document it reads, or a sign of life to it. It has at most one of the
/// members; without any, it is only a sign of life.
package struct RelayMessage: FleetMessage, Equatable {
  /// One command APDU, and the responses after which the next one is executed.
  package struct Entry: Codable, Sendable, Equatable {
    package var command: Base64Bytes
    package var leastResponse: Int
    /// `CommandBatch.Warnings`.
    package var warnings: UInt8
  }

  package struct Progress: Codable, Sendable, Equatable {
    package var step: String
    /// `EF.SOD`, `DG1`, …, or the protocol of access control.
    package var name: String?
    package var bytes: Int?
    package var total: Int?
  }

  /// The commands to execute.
  package var batch: [Entry]?
  /// How long to wait until a card is present again, in milliseconds.
  package var awaitReturn: Int?
  /// What the inspector does, without data.
  package var progress: Progress?

  package init() {}
}

/// The answer of a desk.
package struct RelayReply: FleetMessage, Equatable {
  /// The responses to the commands that were executed, status words included.
  package var responses: [Base64Bytes]?
  /// Why the command after the last response has none.
  package var cardError: RelayedCardError?
  /// Whether the desk stopped because of its own limits, so that the rest of the batch is to be sent again.
  package var isPartial: Bool?

  package init(responses: [[UInt8]]? = nil, cardError: RelayedCardError? = nil, isPartial: Bool = false) {
    self.responses = responses?.map(Base64Bytes.init)
    self.cardError = cardError
    self.isPartial = isPartial ? true : nil
  }
}

extension RelayMessage.Progress {
  init(_ progress: InspectionProgress) {
    switch progress {
    case .connected: self.init(step: "connected")
    case .accessing(let access): self.init(step: "accessing", name: access.rawValue)
    case .accessGranted(let access): self.init(step: "accessGranted", name: access.rawValue)
    case .reading(let file, let bytes, let total):
      self.init(step: "reading", name: file.name, bytes: bytes, total: total)
    case .authenticatingChip: self.init(step: "authenticatingChip")
    case .lost: self.init(step: "lost")
    case .returned: self.init(step: "returned")
    case .finished: self.init(step: "finished")
    }
  }

  /// nil for a step of a later version.
  var progress: InspectionProgress? {
    switch step {
    case "connected": .connected
    case "accessing": name.flatMap(AccessProtocol.init).map { .accessing($0) }
    case "accessGranted": name.flatMap(AccessProtocol.init).map { .accessGranted($0) }
    case "reading":
      ElementaryFile.all.first { $0.name == name }.map {
        .reading($0, bytes: max(0, bytes ?? 0), of: max(0, total ?? 0))
      }
    case "authenticatingChip": .authenticatingChip
    case "lost": .lost
    case "returned": .returned
    case "finished": .finished
    default: nil
    }
  }
}
