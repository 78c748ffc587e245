import FleetLab
import Foundation
import TesseraCore
import TesseraPassport
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraFleet

@Suite("Messages of a fleet")
struct FleetMessageTests {
  // MARK: - Form

  @Test("a message is one JSON object with its version")
  func form() throws {
    let read = try #require(FleetReadID("AAAAAAAAAAAAAAAAAAAAAA"))
    let message = BeginMessage(readID: read, mode: .witnessed, software: "1.2.3")
    let text = String(decoding: try FleetCoding.encode(message), as: UTF8.self)
    #expect(text.hasPrefix("{") && text.hasSuffix("}"))
    for member in [
      #""version":1"#, #""readID":"AAAAAAAAAAAAAAAAAAAAAA""#, #""mode":"witnessed""#, #""software":"1.2.3""#,
    ] {
      #expect(text.contains(member), "\(text)")
    }
  }

  @Test("bytes are base64")
  func base64() throws {
    let session = try #require(FleetIdentifier("AAAAAAAAAAAAAAAAAAAAAA"))
    let message = ReadMessage(session: session, part: FilePart(number: 3, data: Base64Bytes([0, 0xFF, 0x10])))
    let bytes = try FleetCoding.encode(message)
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""data":"AP8Q""#))
    #expect(try FleetCoding.decode(ReadMessage.self, from: bytes, limit: 1000) == message)
  }

  @Test("every message is the same after it was sent")
  func roundTrip() async throws {
    let examples = try await FleetMessageExamples()
    func expectSame<Message: FleetMessage & Equatable>(_ message: Message) throws {
      let bytes = try FleetCoding.encode(message)
      #expect(try FleetCoding.decode(Message.self, from: bytes, limit: bytes.count) == message)
      #expect(try FleetCoding.decode(response: Message.self, from: bytes, limit: bytes.count) == message)
    }
    try expectSame(examples.begin)
    try expectSame(examples.remoteBegin)
    try expectSame(examples.beginReply)
    try expectSame(examples.part)
    try expectSame(examples.files)
    try expectSame(examples.answer)
    try expectSame(examples.abandonment)
    try expectSame(examples.agreement)
    try expectSame(examples.verdict)
    try expectSame(examples.batch)
    try expectSame(examples.relayReply)
  }

  // MARK: - Errors

  /// The wire codes never change: desks and inspectors of different versions understand one another's errors.
  @Test("the codes of errors are stable")
  func codes() {
    #expect(
      FleetError.Code.allCases.map(\.rawValue) == [
        "unknownVersion", "malformed", "tooLarge", "incomplete", "busy", "closing", "noInspector", "sessionUnknown",
        "trustUnavailable", "clockDiffers", "notRecorded", "readIDUsed", "relayLost", "deskLost", "timeLimit",
        "refused", "readFailed", "disconnected", "internalError",
      ])
  }

  @Test("an error names its cause and a remedy", arguments: FleetError.Code.allCases)
  func failure(_ code: FleetError.Code) {
    let error = FleetError(
      code, readFailure: code == .readFailed ? PassportError.accessKeyRequired.failure : nil)
    #expect(error.failure.cause.hasSuffix("."))
    #expect(error.failure.remedy?.hasSuffix(".") == true)
  }

  @Test("an error arrives as it was sent", arguments: FleetError.Code.allCases)
  func error(_ code: FleetError.Code) throws {
    let error = FleetError(
      code,
      readFailure: code == .readFailed
        ? Failure(.accessDenied, "The chip refused.", remedy: "Compare.", details: ["status": "6300"]) : nil)
    let bytes = try FleetCoding.encode(error)
    #expect(throws: error) { try FleetCoding.decode(response: BeginReply.self, from: bytes, limit: bytes.count) }
  }

  @Test("the JSON of an error")
  func errorForm() throws {
    let text = String(decoding: try FleetCoding.encode(FleetError(.busy)), as: UTF8.self)
    #expect([#"{"version":1,"error":{"code":"busy"}}"#, #"{"error":{"code":"busy"},"version":1}"#].contains(text))
  }

  @Test("an unknown code is a defect of the other end")
  func unknownCode() {
    let bytes = Array(#"{"version":1,"error":{"code":"outOfTea"}}"#.utf8)
    #expect(throws: FleetError(.internalError)) {
      try FleetCoding.decode(response: BeginReply.self, from: bytes, limit: 1000)
    }
  }

  @Test("an error of the inspector's machine is not described to the desk")
  func hostError() {
    #expect(FleetError(CardError.cardRemoved).readFailure == CardError.cardRemoved.failure)
    #expect(FleetError(PassportError.accessKeyRequired).code == .readFailed)
    let failure = Failure(.storageUnavailable, "The folder /home/inspector cannot be opened.")
    #expect(FleetError(failure) == FleetError(.internalError))
  }

  // MARK: - Versions

  @Test("a message of another version is recognised before its form is", arguments: [0, 2, 1_000_000])
  func unknownVersion(_ version: Int) {
    let bytes = Array(#"{"version":\#(version),"new":[]}"#.utf8)
    #expect(throws: FleetError(.unknownVersion)) {
      try FleetCoding.decode(BeginMessage.self, from: bytes, limit: 1000)
    }
    #expect(throws: FleetError(.unknownVersion)) {
      try FleetCoding.decode(response: FilesReply.self, from: bytes, limit: 1000)
    }
  }

  @Test("a message of this version may have members of a later one")
  func furtherMember() throws {
    let bytes = Array(
      #"{"version":1,"readID":"AAAAAAAAAAAAAAAAAAAAAA","mode":"witnessed","software":"x","tea":1}"#.utf8)
    #expect(try FleetCoding.decode(BeginMessage.self, from: bytes, limit: 1000).software == "x")
  }

  @Test(
    "what is no message is malformed",
    arguments: [
      "", "{", "[]", "null", "{}", #"{"version":"1"}"#, #"{"version":1}"#,
      #"{"version":1,"readID":"short","mode":"witnessed","software":"x"}"#,
      #"{"version":1,"readID":"AAAAAAAAAAAAAAAAAAAAAA","mode":"psychic","software":"x"}"#,
      String(repeating: "[", count: 100_000), #"{"version":99999999999999999999}"#,
    ])
  func malformed(_ text: String) {
    #expect(throws: FleetError(.malformed)) {
      try FleetCoding.decode(BeginMessage.self, from: Array(text.utf8), limit: 1 << 20)
    }
  }

  @Test("a message over the limit is not decoded")
  func tooLarge() async throws {
    let bytes = try FleetCoding.encode(await FleetMessageExamples().begin)
    #expect(throws: FleetError(.tooLarge)) {
      try FleetCoding.decode(BeginMessage.self, from: bytes, limit: bytes.count - 1)
    }
  }

  @Test("a report that is too long is left out of the verdict")
  func longReport() async throws {
    var reply = try await FleetMessageExamples().verdict
    reply.verdict?.report = String(repeating: "\u{1}", count: 10_000)
    let whole = try FleetCoding.encode(reply)
    #expect(whole.count > 60_000)
    #expect(try reply.encoded(limit: whole.count).count == whole.count)
    let verdict = try #require(reply.verdict)
    for bytes in [try reply.encoded(limit: whole.count - 1), try verdict.encoded(limit: 60_000)] {
      #expect(bytes.count < 1000)
      #expect(String(decoding: bytes, as: UTF8.self).contains(#""outcome":"\#(verdict.outcome.rawValue)""#))
    }
  }

  // MARK: - Content

  @Test("a desk's clock decides nothing: its time is not sent")
  func clock() async throws {
    let document = try LabDocument(.bac)
    var dump = try await document.source.withCard { try await Inspection.read($0, try LabDocument.request()) }
    func statement() throws -> FilesStatement {
      try FilesStatement(dump, reader: "", parts: 0, data: dump.files.flatMap(\.bytes), FleetLimits())
    }
    let now = try statement()
    let read = try #require(dump.readAt)
    dump.readAt = read - 366 * 86_400
    #expect(try statement() == now)
    let judged = try now.dump(
      PartCollector(), challenge: [UInt8](repeating: 0, count: 8), requiredGroups: nil, FleetLimits())
    #expect(try #require(judged.readAt) >= read)
  }

  @Test("a request of a read has exactly one step")
  func step() async throws {
    let examples = try await FleetMessageExamples()
    var message = examples.part
    message.files = examples.files.files
    #expect(throws: FleetError(.malformed)) { try message.step() }
    message.part = nil
    #expect(throws: Never.self) { try message.step() }
    message.files = nil
    #expect(throws: FleetError(.malformed)) { try message.step() }
  }

  @Test("a remote read needs an offer, and a witnessed one has none")
  func offer() async throws {
    let examples = try await FleetMessageExamples()
    try examples.begin.validate(FleetLimits())
    try examples.remoteBegin.validate(FleetLimits())
    var message = examples.begin
    message.mode = .remote
    #expect(throws: FleetError(.malformed)) { try message.validate(FleetLimits()) }
    message = examples.remoteBegin
    message.mode = .witnessed
    #expect(throws: FleetError(.malformed)) { try message.validate(FleetLimits()) }
  }

  @Test("a request for a remote read arrives with all that a desk may ask for")
  func remoteRequest() throws {
    let information = try MRZInformation(
      documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
    var request = InspectionRequest(key: .can(.init("264718".utf8)), dataGroups: [1, 2, 14], maximumReadLength: 223)
    request.basicAccessKey = information
    request.accessAttempts = 3
    request.gracePeriod = .milliseconds(2500)
    request.readsCardFiles = true
    request.skipsPACE = true
    let bytes = try FleetCoding.encode(Wrapped(request: RemoteRequest(request)))
    let arrived = try FleetCoding.decode(Wrapped.self, from: bytes, limit: 1000).request
      .inspectionRequest(FleetLimits())
    guard case .can(let digits)? = arrived.key else {
      Issue.record("The key is another one.")
      return
    }
    #expect(digits == .init("264718".utf8))
    #expect(arrived.dataGroups == [1, 2, 14])
    #expect(arrived.maximumReadLength == 223)
    #expect(arrived.basicAccessKey == information)
    #expect(arrived.accessAttempts == 3)
    #expect(arrived.gracePeriod == .milliseconds(2500))
    #expect(arrived.readsCardFiles)
    // That is a decision of the inspector.
    #expect(!arrived.skipsPACE)
  }

  private struct Wrapped: FleetMessage {
    var request: RemoteRequest
  }

  @Test("a request for a remote read with numbers outside the limits is malformed")
  func hostileRemoteRequest() throws {
    let changes: [(inout RemoteRequest) -> Void] = [
      { $0.accessAttempts = Int.max }, { $0.accessAttempts = 0 }, { $0.gracePeriodMilliseconds = Int.max },
      { $0.gracePeriodMilliseconds = -1 }, { $0.maximumReadLength = 0 }, { $0.dataGroups = [0] },
      { $0.dataGroups = [17] }, { $0.dataGroups = [Int](repeating: 1, count: 17) }, { $0.mrz = "not an MRZ" },
      { $0.can = "12" }, { $0.can = String(repeating: "1", count: 100_000) },
      { $0.basicAccessMRZ = String(repeating: "<", count: 100_000) },
    ]
    for change in changes {
      var request = RemoteRequest(InspectionRequest(key: nil))
      change(&request)
      #expect(throws: FleetError(.malformed)) { try request.inspectionRequest(FleetLimits()) }
    }
  }

  @Test("errors of a reader keep what a read reacts to")
  func cardErrors() {
    let errors: [CardError] = [
      .cardRemoved, .cardReset, .mute, .transmission(code: 0x8010_002F), .emptyResponse, .truncatedResponse(1),
      .powerCycleNeeded, .commandTooLong, .commandTooLongForReader(length: 300, limit: 261), .noCard(seconds: 7),
      .notSmartCard, .readerRemoved(reader: "here"), .readerInUse(reader: "here"), .serviceUnavailable,
    ]
    for error in errors {
      #expect(RelayedCardError(error).error(reader: "here") == error)
    }
    #expect(
      RelayedCardError(CardError.deviceAccessDenied(reader: "x", node: "/dev/x")).error(reader: "here")
        == .readerFailed(reader: "here"))
  }

  @Test("a reader's error with any number is no trap", arguments: [Int.min, -1, Int.max])
  func hostileCardError(_ number: Int) throws {
    for code in RelayedCardError.Code.allCases {
      var error = RelayedCardError(CardError.cardRemoved)
      error.code = code
      error.number = number
      error.limit = number
      _ = error.error(reader: "here").failure
    }
  }

  @Test("the progress of a remote read arrives as it was sent")
  func progress() {
    let steps: [InspectionProgress] = [
      .connected, .accessing(.pace), .accessGranted(.bac), .reading(.dg2, bytes: 10, of: 20), .authenticatingChip,
      .lost, .returned, .finished,
    ]
    for step in steps { #expect(RelayMessage.Progress(step).progress == step) }
    #expect(RelayMessage.Progress(step: "dreaming").progress == nil)
    #expect(RelayMessage.Progress(step: "reading", name: "DG99").progress == nil)
  }

  // MARK: - Hostile messages

  @Test("mutations of every message are decoded or refused with a typed error")
  func fuzzed() async throws {
    let examples = try await FleetMessageExamples()
    let originals = try examples.encoded
    await Fuzzing.manyTimes(4000, of: "messages") { generator in
      guard let original = originals.randomElement(using: &generator) else { return }
      let bytes = Fuzzing.mutated(original, &generator)
      Self.decodeAll(bytes)
    }
  }

  private static func decodeAll(_ bytes: [UInt8]) {
    let limit = 1 << 20
    let limits = FleetLimits()
    func attempt(_ decode: () throws(FleetError) -> Void) {
      do throws(FleetError) {
        try decode()
      } catch {
        _ = error.failure
      }
    }
    attempt { () throws(FleetError) in
      try FleetCoding.decode(BeginMessage.self, from: bytes, limit: limit).validate(limits)
    }
    attempt { () throws(FleetError) in
      _ = try FleetCoding.decode(response: BeginReply.self, from: bytes, limit: limit)
    }
    attempt { () throws(FleetError) in
      let message = try FleetCoding.decode(ReadMessage.self, from: bytes, limit: limit)
      switch try message.step() {
      case .files(let files):
        _ = try files.dump(
          PartCollector(), challenge: [UInt8](repeating: 0, count: 8), requiredGroups: nil, limits)
      case .part(let part):
        var collector = PartCollector()
        collector.add(part, limits)
      case .answer(let answer):
        var dump = DocumentDump()
        try answer.transport.add(to: &dump)
      case .abandonment: break
      }
    }
    attempt { () throws(FleetError) in
      _ = try FleetCoding.decode(response: FilesReply.self, from: bytes, limit: limit)
    }
    attempt { () throws(FleetError) in
      let message = try FleetCoding.decode(RelayMessage.self, from: bytes, limit: limit)
      _ = message.progress?.progress
    }
    attempt { () throws(FleetError) in
      let reply = try FleetCoding.decode(response: RelayReply.self, from: bytes, limit: limit)
      _ = reply.cardError?.error(reader: "")
    }
  }
}
