internal import TesseraPassport
internal import TesseraThreads

/// The reads under way at one inspector, of all desks, within bounds. A read belongs to the desk that began it: to
/// another desk it does not exist.
final class SessionTable: Sendable {
  /// What the reads of one desk have in common.
  private struct Desk {
    var reads = 0
    var heldSize = 0
    /// The bytes of messages without an answer that are still accepted.
    var unansweredSize = 0
  }

  private struct State {
    var entries: [FleetIdentifier: InspectorSession] = [:]
    /// Those with reads.
    var desks: [DeskName: Desk] = [:]
    var heldSize = 0
    var lastPhase = 0
    /// Set when the inspector stops; settled once no read is left.
    var emptied: FirstResult<Void>?
  }

  private let state = Locked(State())
  private let limits: FleetLimits
  private let ledger: ReadLedger
  private let metrics: FleetMetrics

  init(_ limits: FleetLimits, _ ledger: ReadLedger = ReadLedger(), _ metrics: FleetMetrics = FleetMetrics()) {
    self.limits = limits
    self.ledger = ledger
    self.metrics = metrics
  }

  var count: Int { state.withLock { $0.entries.count } }

  // MARK: - Beginning and end

  /// Adds a witnessed read, in place of an earlier attempt at it that waits for its desk.
  ///
  /// - Throws: `FleetError` with the code `busy` or `closing`.
  func begin(_ read: InspectedRead, challenge: [UInt8]) throws(FleetError) {
    try add(read, .reading(challenge: challenge, PartCollector()), limits.reading)
  }

  /// Adds a remote read.
  ///
  /// - Throws: `FleetError` with the code `busy` or `closing`.
  func beginRemote(_ read: InspectedRead) throws(FleetError) { try add(read, .judging, nil) }

  private func add(_ read: InspectedRead, _ phase: InspectorSession.Phase, _ limit: Duration?) throws(FleetError) {
    let result = state.withLock { state -> Result<Void, FleetError> in
      guard state.emptied == nil else { return .failure(FleetError(.closing)) }
      for (session, entry) in state.entries
      where entry.read.desk == read.desk && entry.read.readID == read.readID && entry.waitsForDesk {
        remove(session, "repeated", &state)
      }
      guard state.entries[read.session] == nil, state.entries.count < limits.reads,
        state.desks[read.desk, default: Desk()].reads < limits.readsPerDesk
      else { return .failure(FleetError(.busy)) }
      state.entries[read.session] = InspectorSession(read: read, phase: .judging, phaseNumber: 0)
      state.desks[read.desk, default: Desk()].reads += 1
      state.desks[read.desk]?.unansweredSize += phase.unansweredSize(limits)
      change(read.session, to: phase, limit, &state)
      ledger.began(read.desk, software: read.software)
      metrics.open(state.entries.count)
      return .success(())
    }
    try result.get()
  }

  /// Begins another phase of a read.
  ///
  /// - Parameter limit: for the desk's next message; nil while the inspector works.
  private func change(
    _ session: FleetIdentifier, to phase: InspectorSession.Phase, _ limit: Duration?, _ state: inout State
  ) {
    state.lastPhase += 1
    let number = state.lastPhase
    state.entries[session]?.timer?.cancel()
    state.entries[session]?.phase = phase
    state.entries[session]?.phaseNumber = number
    state.entries[session]?.timer = limit.map { limit in
      Task { [weak self] in
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        self?.expire(session, phase: number)
      }
    }
    if let desk = state.entries[session]?.read.desk { boundUnanswered(of: desk, &state) }
  }

  /// Removes a read that has been answered.
  ///
  /// - Parameter outcome: the verdict, or the code of an error.
  func end(_ session: FleetIdentifier, _ outcome: String) {
    state.withLock { remove(session, outcome, &$0) }
  }

  /// Removes a read that its desk gives up.
  func abandon(_ session: FleetIdentifier, of desk: DeskName) {
    state.withLock { state in
      guard let entry = state.entries[session], entry.read.desk == desk, entry.waitsForDesk else { return }
      remove(session, "abandoned", &state)
    }
  }

  private func expire(_ session: FleetIdentifier, phase: Int) {
    let isExpired = state.withLock { state in
      guard state.entries[session]?.phaseNumber == phase else { return false }
      remove(session, FleetError.Code.timeLimit.rawValue, &state)
      return true
    }
    if isExpired { metrics.failed(FleetError(.timeLimit)) }
  }

  private func remove(_ session: FleetIdentifier, _ outcome: String, _ state: inout State) {
    guard let entry = state.entries.removeValue(forKey: session) else { return }
    entry.timer?.cancel()
    state.heldSize -= entry.heldSize
    state.desks[entry.read.desk]?.heldSize -= entry.heldSize
    state.desks[entry.read.desk]?.reads -= 1
    if state.desks[entry.read.desk]?.reads == 0 { state.desks[entry.read.desk] = nil }
    boundUnanswered(of: entry.read.desk, &state)
    ledger.finished(entry.read.desk, outcome: outcome)
    metrics.open(state.entries.count)
    if state.entries.isEmpty { state.emptied?.settle(.success(())) }
  }

  // MARK: - Messages without an answer

  /// Whether a message without an answer can belong to a read of this desk. The caller asks before it decodes the
  /// message: decoding takes time that all desks share.
  ///
  /// - Parameter size: the bytes of the message.
  func accepts(_ size: Int, of desk: DeskName) -> Bool {
    state.withLock { state in
      let size = max(size, InspectorSession.Phase.smallestMessage)
      guard let rest = state.desks[desk]?.unansweredSize, size <= rest else { return false }
      state.desks[desk]?.unansweredSize = rest - size
      return true
    }
  }

  /// Accepts no more than the desk's reads need, nor than can be held.
  private func boundUnanswered(of desk: DeskName, _ state: inout State) {
    guard let rest = state.desks[desk]?.unansweredSize else { return }
    var needed = 0
    for entry in state.entries.values where entry.read.desk == desk {
      needed += entry.phase.unansweredSize(limits)
    }
    state.desks[desk]?.unansweredSize = min(rest, needed, 2 * limits.heldSizePerDesk)
  }

  // MARK: - Parts and files

  /// Counts the bytes that a read holds.
  ///
  /// - Returns: whether there is room for them.
  private func hold(_ size: Int, for session: FleetIdentifier, _ state: inout State) -> Bool {
    guard let entry = state.entries[session], let desk = state.desks[entry.read.desk] else { return false }
    let growth = size - entry.heldSize
    if growth > 0 {
      guard state.heldSize + growth <= limits.heldSize, desk.heldSize + growth <= limits.heldSizePerDesk else {
        return false
      }
    }
    state.entries[session]?.heldSize = size
    state.desks[entry.read.desk]?.heldSize += growth
    state.heldSize += growth
    return true
  }

  /// Counts the bytes of a read's parts. The parts fail if there is no room for them.
  ///
  /// - Parameter lastSize: the bytes that arrived with the statement of the files.
  private func hold(
    _ collector: inout PartCollector, lastSize: Int = 0, for session: FleetIdentifier, _ state: inout State
  ) {
    if hold(collector.size + lastSize, for: session, &state) { return }
    collector.fail(.busy)
    _ = hold(0, for: session, &state)
  }

  /// Adds a part to a read. A part of an unknown read is ignored, since nobody waits for an answer to it.
  func add(_ part: FilePart, to session: FleetIdentifier, of desk: DeskName) {
    state.withLock { state in
      guard state.entries[session]?.read.desk == desk,
        case .reading(let challenge, var collector)? = state.entries[session]?.phase
      else { return }
      // Without a second reference the array grows in place.
      state.entries[session]?.phase = .judging
      collector.add(part, limits)
      hold(&collector, for: session, &state)
      state.entries[session]?.phase = .reading(challenge: challenge, collector)
      if collector.hasFailed { boundUnanswered(of: desk, &state) }
    }
  }

  /// What a read of this desk was waiting for. From now on the inspector works on it.
  ///
  /// - Parameter lastSize: the bytes that arrived with the statement of the files.
  /// - Throws: `FleetError` with the code `sessionUnknown`, also if the read is at another step.
  func takeParts(
    of session: FleetIdentifier, _ desk: DeskName, lastSize: Int = 0
  ) throws(FleetError) -> (read: InspectedRead, challenge: [UInt8], parts: PartCollector) {
    let taken = take(session, desk) { phase, state -> ([UInt8], PartCollector)? in
      guard case .reading(let challenge, var collector) = phase else { return nil }
      hold(&collector, lastSize: lastSize, for: session, &state)
      return (challenge, collector)
    }
    guard let (read, (challenge, collector)) = taken else { throw FleetError(.sessionUnknown) }
    return (read, challenge, collector)
  }

  // MARK: - The proof

  /// Lets a read wait for its desk's answer to the agreement.
  ///
  /// - Throws: `FleetError` with the code `sessionUnknown`, or `busy` if too many bytes are held already.
  func awaitAnswer(_ session: FleetIdentifier, challenge: [UInt8], _ proof: ChipProof) throws(FleetError) {
    let result = state.withLock { state -> Result<Void, FleetError> in
      guard state.entries[session] != nil else { return .failure(FleetError(.sessionUnknown)) }
      guard hold(proof.dump.size, for: session, &state) else { return .failure(FleetError(.busy)) }
      change(session, to: .proving(challenge: challenge, proof), limits.proof, &state)
      return .success(())
    }
    try result.get()
  }

  /// The read whose desk has answered the agreement. From now on the inspector works on it.
  ///
  /// - Throws: `FleetError` with the code `sessionUnknown`, also if the read is at another step.
  func takeProof(
    of session: FleetIdentifier, _ desk: DeskName
  ) throws(FleetError) -> (read: InspectedRead, challenge: [UInt8], proof: ChipProof) {
    let taken = take(session, desk) { phase, _ -> ([UInt8], ChipProof)? in
      guard case .proving(let challenge, let proof) = phase else { return nil }
      return (challenge, proof)
    }
    guard let (read, (challenge, proof)) = taken else { throw FleetError(.sessionUnknown) }
    return (read, challenge, proof)
  }

  private func take<Value: Sendable>(
    _ session: FleetIdentifier, _ desk: DeskName, _ value: (InspectorSession.Phase, inout State) -> Value?
  ) -> (InspectedRead, Value)? {
    state.withLock { state -> (InspectedRead, Value)? in
      guard let entry = state.entries[session], entry.read.desk == desk,
        let value = value(entry.phase, &state)
      else { return nil }
      change(session, to: .judging, nil, &state)
      return (entry.read, value)
    }
  }

  // MARK: - Closing

  /// Accepts no further read.
  ///
  /// - Returns: is settled once no read is left.
  func close() -> FirstResult<Void> {
    state.withLock { state in
      let emptied = state.emptied ?? FirstResult<Void>()
      state.emptied = emptied
      if state.entries.isEmpty { emptied.settle(.success(())) }
      return emptied
    }
  }
}
