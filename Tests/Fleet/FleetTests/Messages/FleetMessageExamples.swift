import PassportTestSupport
import TesseraPassport
import TesseraReaders
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport

@testable import TesseraFleet

/// One message of each kind.
struct FleetMessageExamples {
  let begin: BeginMessage
  let remoteBegin: BeginMessage
  let beginReply: BeginReply
  let part: ReadMessage
  let files: ReadMessage
  let answer: ReadMessage
  let abandonment: ReadMessage
  let agreement: FilesReply
  let verdict: FilesReply
  let batch: RelayMessage
  let relayReply: RelayReply

  init() async throws {
    let session = try FleetIdentifier.random()
    let readID = try FleetReadID.random()
    let document = try SpecimenDocument()
    let card = VirtualCard.card(try Chip(profile: .bac, files: document.files))
    let key = try MRZInformation(documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
    let request = RemoteRequest(InspectionRequest(key: .mrz(key)))
    begin = BeginMessage(readID: readID, mode: .witnessed, software: "1.2.3")
    remoteBegin = BeginMessage(
      readID: readID, mode: .remote, software: "1.2.3",
      offer: RelayOffer(session: session, card: card, request: request))
    beginReply = BeginReply(
      inspector: try .random(), session: session, challenge: Base64Bytes([UInt8](repeating: 7, count: 8)))
    part = ReadMessage(session: session, part: FilePart(number: 0, data: Base64Bytes([1, 2, 3])))
    var dump = try await Inspection.read(card, InspectionRequest(key: .mrz(key)))
    dump.omissions = [.init(file: .dg3, cause: .protected, reason: "It is protected.")]
    dump.paceOmissionReason = "PACE was skipped as requested."
    let statement = try FilesStatement(
      dump, reader: "a reader", parts: 0, data: dump.files.flatMap(\.bytes), FleetLimits())
    files = ReadMessage(session: session, files: statement)
    answer = ReadMessage(
      session: session,
      answer: AnswerStatement(
        refusal: nil, response: Base64Bytes([0x90, 0x00]),
        transport: TransportStatement(TransportStatistics(), duration: .seconds(3))))
    abandonment = ReadMessage(abandoning: session)
    agreement = FilesReply(
      agreement: AgreementMessage(
        WitnessedAgreement(
          protocolIdentifier: "0.4.0.127.0.7.2.2.3.2.2", keyIdentifier: 1, publicKey: [4, 1, 2],
          confirmation: [0x0C, 0xB0, 0, 0])))
    verdict = FilesReply(
      verdict: VerdictMessage(
        try Report(dump, trust: TrustMaterial(of: document)), recorded: true, trustVersion: 5, reportJSON: "{}"))
    var batch = RelayMessage()
    batch.batch = [
      RelayMessage.Entry(CommandBatch.Entry(command: [0, 0xB0, 0, 0, 0], leastResponse: 200, warnings: .endOfFile))
    ]
    self.batch = batch
    relayReply = RelayReply(
      responses: [[1, 2, 0x90, 0]], cardError: RelayedCardError(CardError.cardRemoved), isPartial: true)
  }

  /// The bytes of each.
  var encoded: [[UInt8]] {
    get throws {
      try [
        FleetCoding.encode(begin), FleetCoding.encode(remoteBegin), FleetCoding.encode(beginReply),
        FleetCoding.encode(part), FleetCoding.encode(files), FleetCoding.encode(answer),
        FleetCoding.encode(abandonment), FleetCoding.encode(agreement), FleetCoding.encode(verdict),
        FleetCoding.encode(batch),
        FleetCoding.encode(relayReply), FleetCoding.encode(FleetError(.busy)),
      ]
    }
  }
}
