internal import Logging
internal import TesseraPassport
internal import TesseraSmartCard
internal import TesseraThreads

/// Remote reading: this inspector reads the chip through the desk.
extension FleetInspector {
  func readRemotely(_ read: InspectedRead, _ offer: RelayOffer) async throws -> VerdictMessage {
    var request = try offer.request.inspectionRequest(limits)
    request.key = request.key ?? configuration.key
    request.dataGroups = configuration.dataGroups(with: request.dataGroups)
    request.chipAuthentication = configuration.chipAuthentication
    request.readsSecurityGroups = configuration.chipAuthentication != .never
    try table.beginRemote(read)
    do {
      let verdict = try await verdict(read, offer, request)
      table.end(read.session, verdict.outcome.rawValue)
      return verdict
    } catch {
      table.end(read.session, FleetError(error).code.rawValue)
      throw error
    }
  }

  private func verdict(
    _ read: InspectedRead, _ offer: RelayOffer, _ request: InspectionRequest
  ) async throws -> VerdictMessage {
    let subject = FleetSubject.relay(read.desk, read.session)
    let channel = RemoteCardChannel(connection: connection, subject: subject, reader: offer.reader, limits)
    var request = request
    // The desk states the limits of its reader.
    request.distance = { Foresight($0, channel, distrustsReader: true) }
    let signs = SignsOfLife(connection: connection, subject: subject)
    return try await withHeartbeat(signs) { [self, request] in
      let dump = try await withTimeLimit(
        limits.remote, gracePeriod: limits.relay, orThrow: FleetError(.timeLimit)
      ) {
        try await Inspection.read(Card(offer, channel), request) { signs.send($0) }
      }
      let verdict = try await judge.verdict(read, .remote, dump, challenge: nil)
      metrics.ended(.remote, verdict.outcome, roundTrips: channel.roundTrips + 1, since: read.begin)
      logEnd(of: read, .remote, verdict, roundTrips: channel.roundTrips + 1)
      return verdict
    }
  }

  /// Lets the desk know that this inspector is alive while `body` runs.
  private func withHeartbeat<Value: Sendable>(
    _ signs: SignsOfLife, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let interval = limits.heartbeat
    let heartbeat = Task {
      while (try? await Task.sleep(for: interval)) != nil { signs.send() }
    }
    defer { heartbeat.cancel() }
    return try await body()
  }
}

extension Card {
  fileprivate init(_ offer: RelayOffer, _ channel: any CardChannel) {
    self.init(
      channel: channel, readerName: offer.reader,
      answerToReset: offer.answerToReset.map { AnswerToReset($0.bytes) },
      extendedLengthLimit: offer.extendedLengthLimit, commandLengthLimit: offer.commandLengthLimit)
  }
}

extension FleetInspector {
  /// Writes one line for a read with a verdict. It has nothing of the document.
  ///
  /// - Parameter roundTrips: the requests of the inspector to the desk, and the one that began the read; nil after a
  ///   witnessed read, whose requests are the desk's.
  func logEnd(of read: InspectedRead, _ mode: FleetReadingMode, _ verdict: VerdictMessage, roundTrips: Int? = nil) {
    var facts: Logger.Metadata = [
      "desk": "\(read.desk)", "read": "\(read.readID)", "mode": "\(mode.rawValue)",
      "outcome": "\(verdict.outcome.rawValue)", "recorded": "\(verdict.recorded)",
      "ms": "\(Int64((ContinuousClock.now - read.begin) / .milliseconds(1)))",
    ]
    if let roundTrips { facts["roundTrips"] = "\(roundTrips)" }
    logger.info("A read has ended.", metadata: facts)
  }
}
