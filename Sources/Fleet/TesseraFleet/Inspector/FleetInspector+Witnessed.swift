internal import TesseraCryptography
internal import TesseraPassport
internal import TesseraSmartCard

/// Witnessed reading: the desk reads the chip, and the chip proves itself to this inspector.
extension FleetInspector {
  func beginWitnessed(_ read: InspectedRead) throws -> BeginReply {
    let challenge = try RandomBytes.make(8)
    try table.begin(read, challenge: challenge)
    return BeginReply(
      inspector: identifier, session: read.session, challenge: Base64Bytes(challenge),
      dataGroups: configuration.dataGroups?.sorted())
  }

  /// Takes the files of a read: judges them, or lets the chip prove that it has the key of DG14.
  func take(
    _ statement: FilesStatement, _ parts: PartCollector, of read: InspectedRead, challenge: [UInt8]
  ) async throws -> FilesReply {
    try await endingUnlessProving(read.session) {
      let dump = try statement.dump(
        parts, challenge: challenge, requiredGroups: configuration.dataGroups, limits)
      guard let witness = try ChipAuthenticationWitness(for: dump) else {
        return FilesReply(verdict: try await verdict(read, dump, challenge))
      }
      try table.awaitAnswer(read.session, challenge: challenge, ChipProof(dump: dump, witness: witness))
      return FilesReply(agreement: AgreementMessage(witness.agreement))
    }
  }

  /// Takes the chip's answer to the agreement and judges the read.
  func take(
    _ statement: AnswerStatement, _ proof: ChipProof, of read: InspectedRead, challenge: [UInt8]
  ) async throws -> FilesReply {
    try await endingUnlessProving(read.session) {
      var dump = proof.dump
      try statement.transport.add(to: &dump)
      dump.add(chipAuthentication: proof.witness.evidence(for: statement.answer))
      return FilesReply(verdict: try await verdict(read, dump, challenge))
    }
  }

  private func verdict(
    _ read: InspectedRead, _ dump: DocumentDump, _ challenge: [UInt8]
  ) async throws -> VerdictMessage {
    let verdict = try await judge.verdict(
      read, .witnessed, dump, challenge: dump.requiredChallenge(challenge))
    metrics.ended(.witnessed, verdict.outcome, roundTrips: nil, since: read.begin)
    logEnd(of: read, .witnessed, verdict)
    return verdict
  }

  /// Ends the read unless it waits for its desk.
  private func endingUnlessProving(
    _ session: FleetIdentifier, _ body: () async throws -> FilesReply
  ) async throws -> FilesReply {
    do {
      let reply = try await body()
      if let verdict = reply.verdict { table.end(session, verdict.outcome.rawValue) }
      return reply
    } catch {
      table.end(session, FleetError(error).code.rawValue)
      throw error
    }
  }
}

extension AnswerStatement {
  /// nil if the desk states neither a refusal nor a response.
  fileprivate var answer: WitnessedAnswer? {
    guard refusal != nil || response != nil else { return nil }
    return WitnessedAnswer(refusal: refusal.map { StatusWord($0) }, response: response?.bytes)
  }
}
