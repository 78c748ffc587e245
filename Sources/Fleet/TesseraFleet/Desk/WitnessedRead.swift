internal import TesseraPassport
internal import TesseraSmartCard
internal import TesseraThreads

/// One attempt at a witnessed read: this desk reads the chip, and an inspector has it prove itself.
struct WitnessedRead: Sendable {
  let requests: DeskConnection
  let readID: FleetReadID
  let software: String

  func run(
    _ card: Card, _ request: InspectionRequest, _ onProgress: @escaping @Sendable (InspectionProgress) -> Void
  ) async throws -> (VerdictMessage, DocumentDump) {
    let begin = try await requests.ask(
      FleetSubject.begin(requests.desk), BeginMessage(readID: readID, mode: .witnessed, software: software),
      within: requests.limits.begin, silence: .noInspector, for: BeginReply.self)
    guard begin.challenge.bytes.count == 8 else { throw FleetError(.malformed) }
    let inspector = WitnessingInspector(requests, begin, reader: card.readerName)
    var request = request
    // Without a list, both ends mean all groups.
    request.dataGroups = begin.dataGroups.flatMap { request.dataGroups?.union($0) }
    request.activeAuthenticationChallenge = begin.challenge.bytes
    request.prove(by: inspector)
    do {
      return try await withTaskCancellationHandler { [request] in
        let dump = try await Inspection.read(card, request, onProgress: onProgress)
        return (try await inspector.verdict(on: dump), dump)
      } onCancel: {
        // At once: the chip may never answer.
        inspector.abandon()
      }
    } catch {
      inspector.abandon()
      if let error = error as? FleetError, error.allowsRepetition { try await card.powerAgain() }
      throw error
    }
  }
}

extension Card {
  /// Ends the session of the chip, which the next attempt at a read knows nothing of.
  func powerAgain() async throws { try await channel.awaitReturn(within: .seconds(5)) }
}
