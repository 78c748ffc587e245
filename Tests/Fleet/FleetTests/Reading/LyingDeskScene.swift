import FleetLab
import TesseraPassport
import TesseraReaders
import TesseraSmartCard
import TesseraVirtualChip
import Testing

@testable import TesseraFleet

/// A document with Chip and Active Authentication, an inspector that knows its country, and a copy of it: a chip with
/// the same files and other keys.
struct LyingDeskScene {
  let lab: FleetLab
  let document: LabDocument
  let copy: ChipProfile
  let recorder = LabRecorder()
  let inspector: LabInspector
  let desk: MessageDesk

  init(_ change: (inout ChipProfile) -> Void = { _ in }) async throws {
    lab = try await FleetLab.start()
    var profile = try #require(ChipProfile(named: "fault-clone"))
    change(&profile)
    copy = profile
    profile.fault = nil
    document = try LabDocument(profile)
    inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder)
    desk = MessageDesk(try await lab.connect("desk-1"), try #require(DeskName("desk-1")))
  }

  func end() async {
    await inspector.stop()
    await lab.stop()
  }

  var request: InspectionRequest { get throws { try LabDocument.request() } }

  /// A chip with the document's files and other keys.
  var copySource: CardSource { .virtual(copy, document.document.files) }

  /// A whole read in which `change` may change what is sent.
  ///
  /// - Parameters:
  ///   - source: the chip that is read and that answers the agreement.
  ///   - change: receives what was read.
  ///   - changeAnswer: receives the chip's answer to the agreement.
  func verdict(
    from source: CardSource? = nil, change: @escaping @Sendable (inout FilesStatement) throws -> Void = { _ in },
    changeAnswer: (inout WitnessedAnswer?) -> Void = { _ in }
  ) async throws -> VerdictMessage {
    let begin = try await desk.begin()
    var (_, answer, reply) = try await read(source ?? document.source, begin, change)
    if let verdict = reply.verdict { return verdict }
    changeAnswer(&answer)
    return try #require(try await desk.send(answer, to: begin).verdict)
  }

  /// Reads a chip, sends what was read, and lets the chip answer the agreement.
  func read(
    _ source: CardSource, _ begin: BeginReply,
    _ change: @escaping @Sendable (inout FilesStatement) throws -> Void = { _ in }
  ) async throws -> (DocumentDump, WitnessedAnswer?, FilesReply) {
    let replies = Replies()
    let (dump, answer) = try await source.withCard { [desk, request = try request] card in
      try await MessageDesk.read(card, request, challenge: begin) { dump in
        var statement = try MessageDesk.statement(dump)
        try change(&statement)
        let reply = try await desk.send(statement, to: begin)
        await replies.set(reply)
        return reply.agreement?.agreement
      }
    }
    return (dump, answer, try #require(await replies.value))
  }

  actor Replies {
    var value: FilesReply?
    func set(_ reply: FilesReply) { value = reply }
  }
}
