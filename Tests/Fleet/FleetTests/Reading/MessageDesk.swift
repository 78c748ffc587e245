import TesseraNATS
import TesseraPassport
import TesseraSmartCard
import TesseraVirtualChip

@testable import TesseraFleet

/// A desk that sends single messages of a witnessed read, so that a test can change them.
struct MessageDesk {
  let requests: DeskConnection

  init(_ connection: NATSConnection, _ name: DeskName) {
    requests = DeskConnection(connection, name, .patient)
  }

  func begin(_ readID: FleetReadID? = nil, within limit: Duration = .seconds(300)) async throws -> BeginReply {
    try await requests.ask(
      FleetSubject.begin(requests.desk),
      BeginMessage(readID: try readID ?? .random(), mode: .witnessed, software: "test"), within: limit,
      silence: .noInspector, for: BeginReply.self)
  }

  /// The subject of the requests to an inspector.
  func subject(_ begin: BeginReply) -> String { FleetSubject.read(requests.desk, begin.inspector) }

  func send(_ message: ReadMessage, to begin: BeginReply) async throws -> FilesReply {
    try await requests.ask(
      subject(begin), message, within: .seconds(300), silence: .relayLost, for: FilesReply.self)
  }

  func send(_ files: FilesStatement, to begin: BeginReply) async throws -> FilesReply {
    try await send(ReadMessage(session: begin.session, files: files), to: begin)
  }

  func send(_ answer: WitnessedAnswer?, to begin: BeginReply) async throws -> FilesReply {
    let statement = AnswerStatement(
      refusal: answer?.refusal?.rawValue, response: answer?.response.map(Base64Bytes.init),
      transport: TransportStatement(TransportStatistics(), duration: .zero))
    return try await send(ReadMessage(session: begin.session, answer: statement), to: begin)
  }

  /// A statement of everything that was read, in one part.
  static func statement(_ dump: DocumentDump) throws -> FilesStatement {
    try FilesStatement(dump, reader: "a reader", parts: 0, data: dump.files.flatMap(\.bytes), FleetLimits())
  }

  /// Reads a chip honestly, with `witness` in the inspector's place.
  static func read(
    _ card: Card, _ request: InspectionRequest, challenge: BeginReply,
    _ witness: @escaping @Sendable (DocumentDump) async throws -> WitnessedAgreement?
  ) async throws -> (dump: DocumentDump, answer: WitnessedAnswer?) {
    var request = request
    request.activeAuthenticationChallenge = challenge.challenge.bytes
    let witness = ClosureWitness(body: witness)
    request.prove(by: witness)
    return (try await Inspection.read(card, request), await witness.answer)
  }
}

actor ClosureWitness: ChipWitness {
  private let body: @Sendable (DocumentDump) async throws -> WitnessedAgreement?
  private(set) var answer: WitnessedAnswer?

  init(body: @escaping @Sendable (DocumentDump) async throws -> WitnessedAgreement?) { self.body = body }

  func agreement(for dump: DocumentDump) async throws -> WitnessedAgreement? { try await body(dump) }

  func record(_ answer: WitnessedAnswer) { self.answer = answer }
}
