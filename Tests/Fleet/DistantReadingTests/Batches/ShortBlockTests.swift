import ChipTestSupport
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport

/// A protected response of 220 bytes is as long as one of 223. A chip that delivers less than was requested is noticed
/// only after the commands behind it were executed.
@Suite("Batches with a chip that delivers a few bytes less than requested")
struct ShortBlockTests {
  private static func read(
    _ document: PACEDocument, longestBlock: Int, batches: Bool
  ) async throws -> (outcome: ComparedReads.Outcome, chip: MirrorChip, remote: RemoteCard) {
    let chip = try document.chip(longestBlock: longestBlock)
    let remote = RemoteCard(chip)
    var request = InspectionRequest(key: document.key)
    request.readsCardFiles = true
    if batches { request.foresee(on: remote) }
    let result: Result<DocumentDump, any Error>
    do {
      result = .success(
        try await Inspection.read(Card(channel: batches ? remote : chip, readerName: "test"), request))
    } catch {
      result = .failure(error)
    }
    return (ComparedReads.Outcome(result), chip, remote)
  }

  @Test(
    "read the same, also if the application was selected in vain before EF.CardSecurity was complete",
    arguments: [223, 222, 220, 216, 208, 207, 150, 90, 60])
  func shortBlocks(_ longest: Int) async throws {
    var document = try PACEDocument()
    // A file with the tag of EF.CardSecurity that takes five blocks.
    document.master[.cardSecurity] = BERTLV.encode(0x30, (0..<1100).map { UInt8(truncatingIfNeeded: $0 * 7) })
    let single = try await Self.read(document, longestBlock: longest, batches: false)
    let batched = try await Self.read(document, longestBlock: longest, batches: true)
    #expect(batched.outcome == single.outcome)
    #expect(batched.outcome.error == nil && batched.outcome.omissions.isEmpty)
    #expect(batched.outcome.files.contains("EF.CardSecurity") && batched.outcome.files.contains("DG2"))
    #expect(batched.outcome.chipAuthentication == .proven)
    // Chips that deliver 208 to 222 bytes cannot be told from conforming ones by the length of their responses.
    let selections = await batched.chip.commands.filter { $0[0] == 0 && $0[1] == 0x22 }.count
    #expect(selections == ((208..<223).contains(longest) ? 2 : 1))
    // What was sent in vain is bounded: after that, commands are sent one by one.
    let (sent, usual) = await (batched.chip.commands.count, single.chip.commands.count)
    #expect(sent <= usual + (selections == 2 ? 40 : 4))
    let roundTrips = await batched.remote.roundTrips
    #expect(selections == 2 ? roundTrips <= usual + 20 : roundTrips * 3 < usual)
  }
}
