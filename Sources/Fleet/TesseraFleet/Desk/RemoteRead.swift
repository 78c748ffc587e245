internal import TesseraNATS
internal import TesseraPassport
internal import TesseraSmartCard
internal import TesseraThreads

/// One attempt at a remote read: an inspector reads the chip through this desk.
struct RemoteRead: Sendable {
  let requests: DeskConnection
  let readID: FleetReadID
  let software: String

  private var limits: FleetLimits { requests.limits }

  func run(
    _ card: Card, _ request: InspectionRequest, _ onProgress: @escaping @Sendable (InspectionProgress) -> Void
  ) async throws -> VerdictMessage {
    let session = try FleetIdentifier.random()
    let relay = CardRelay(
      card.channel, requests, gracePeriod: request.gracePeriod, onProgress: onProgress)
    let subscription = try requests.subscribe(FleetSubject.relay(requests.desk, session)) { relay.receive($0) }
    let begin = BeginMessage(
      readID: readID, mode: .remote, software: software,
      offer: RelayOffer(session: session, card: card, request: RemoteRequest(request)))
    do {
      let verdict = try await withTaskCancellationHandler {
        try await self.verdict(begin, relay)
      } onCancel: {
        // At once: the chip may never answer.
        relay.close()
      }
      // The last steps, which the inspector sent before its verdict.
      await subscription.finish()
      return verdict
    } catch {
      relay.close()
      refuseLateRequests(subscription)
      if relay.hasExecuted, (error as? FleetError)?.allowsRepetition == true {
        try await card.powerAgain()
      }
      throw error
    }
  }

  private func verdict(_ begin: BeginMessage, _ relay: CardRelay) async throws -> VerdictMessage {
    try await withThrowingTaskGroup(of: VerdictMessage?.self) { group in
      group.addTask {
        // The relay's silence ends the wait, long before this limit.
        try await requests.ask(
          FleetSubject.begin(requests.desk), begin, within: limits.remote + limits.answer, silence: .relayLost,
          absence: .noInspector, for: VerdictMessage.self)
      }
      group.addTask {
        try await relay.serve()
        return nil
      }
      group.addTask {
        try await relay.awaitSilence()
        return nil
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      throw CancellationError()
    }
  }

  /// The inspector may not know yet that this attempt has ended. It then ends its own at once.
  private func refuseLateRequests(_ subscription: NATSSubscription) {
    let time = limits.relay
    Task {
      try? await Task.sleep(for: time)
      subscription.cancel()
    }
  }
}
