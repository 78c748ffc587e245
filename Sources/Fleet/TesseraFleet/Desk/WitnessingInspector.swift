internal import TesseraPassport
internal import TesseraThreads

/// The inspector that took a witnessed read, as its desk sees it: it receives the files, then the chip's answer.
final class WitnessingInspector: ChipWitness {
  private enum State {
    case awaitsFiles
    case awaitsAnswer(WitnessedAgreement)
    case ended(VerdictMessage)
    case abandoned
  }

  private let requests: DeskConnection
  private let session: FleetIdentifier
  private let subject: String
  private let reader: String
  private let state = Locked(State.awaitsFiles)
  private let answer = Locked<WitnessedAnswer?>(nil)

  init(_ requests: DeskConnection, _ begin: BeginReply, reader: String) {
    self.requests = requests
    session = begin.session
    subject = FleetSubject.read(requests.desk, begin.inspector)
    self.reader = reader
  }

  private var limits: FleetLimits { requests.limits }

  /// Sends the files. After a loss of the document, the same agreement is carried out again.
  func agreement(for dump: DocumentDump) async throws -> WitnessedAgreement? {
    switch state.withLock({ $0 }) {
    case .awaitsFiles: try await send(dump)
    case .awaitsAnswer(let agreement): agreement
    case .ended: nil
    case .abandoned: throw CancellationError()
    }
  }

  func record(_ answer: WitnessedAnswer) { self.answer.withLock { $0 = answer } }

  /// Sends what the inspector still waits for.
  func verdict(on dump: DocumentDump) async throws -> VerdictMessage {
    if case .awaitsFiles = state.withLock({ $0 }) { _ = try await send(dump) }
    if case .ended(let verdict) = state.withLock({ $0 }) { return verdict }
    let answer = answer.withLock { $0 }
    let statement = AnswerStatement(
      refusal: answer?.refusal?.rawValue, response: answer?.response.map(Base64Bytes.init),
      transport: TransportStatement(dump.statistics, duration: dump.duration))
    let reply = try await requests.ask(
      subject, ReadMessage(session: session, answer: statement), within: limits.answer, silence: .relayLost,
      isRepeatable: true, for: FilesReply.self)
    guard let verdict = reply.verdict else { throw FleetError(.malformed) }
    return verdict
  }

  /// Lets the inspector forget the read, so that it does not count as one of this desk's reads under way.
  func abandon() {
    let isOpen = state.withLock { state in
      switch state {
      case .ended, .abandoned: return false
      case .awaitsFiles, .awaitsAnswer:
        state = .abandoned
        return true
      }
    }
    guard isOpen else { return }
    try? requests.send(subject, ReadMessage(abandoning: session))
  }

  /// Sends the files, in parts if they are long. Only the last part waits for its answer.
  private func send(_ dump: DocumentDump) async throws -> WitnessedAgreement? {
    let bytes = dump.files.flatMap(\.bytes)
    guard bytes.count <= limits.readSize else { throw FleetError(.tooLarge) }
    var rest = bytes[...]
    var number = 0
    while rest.count > limits.partSize {
      let part = FilePart(number: number, data: Base64Bytes(Array(rest.prefix(limits.partSize))))
      try requests.send(subject, ReadMessage(session: session, part: part))
      rest = rest.dropFirst(limits.partSize)
      number += 1
    }
    let statement = try FilesStatement(dump, reader: reader, parts: number, data: Array(rest), limits)
    let reply = try await requests.ask(
      subject, ReadMessage(session: session, files: statement), within: limits.answer, silence: .relayLost,
      isRepeatable: true, for: FilesReply.self)
    switch (reply.verdict, reply.agreement?.agreement) {
    case (let verdict?, nil):
      state.withLock { $0 = .ended(verdict) }
      return nil
    case (nil, let agreement?):
      state.withLock { $0 = .awaitsAnswer(agreement) }
      return agreement
    default: throw FleetError(.malformed)
    }
  }
}
