import ChipTestSupport
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

@Suite("Responses that are collected with GET RESPONSE")
struct ResponseChainTests {
  /// Sends the given responses in order and repeats the last one.
  actor Pieces: CardChannel {
    private(set) var commands: [[UInt8]] = []
    private let answers: [[UInt8]]

    init(_ answers: [[UInt8]]) { self.answers = answers }

    func transmit(_ command: [UInt8]) -> [UInt8] {
      commands.append(command)
      return answers[min(commands.count, answers.count) - 1]
    }
  }

  @Test("are joined, and every command is counted")
  func pieces() async throws {
    let channel = Pieces([[1, 2, 0x61, 0x01], [3, 0x61, 0x00], [4, 5, 0x62, 0x82]])
    let session = ChipSession(channel: channel)
    let answer = try await session.transceive(CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: 2))
    #expect(answer == ResponseAPDU(data: [1, 2, 3, 4, 5], status: .endOfFile))
    #expect(await channel.commands.dropFirst() == [[0x00, 0xC0, 0, 0, 1], [0x00, 0xC0, 0, 0, 0]])
    #expect(session.statistics.exchanges == 3 && session.statistics.bytesReceived == 11)
  }

  @Test("are not continued after a malformed response with status 61xx")
  func broken() async throws {
    let channel = Pieces([[1, 2, 0x61, 0x07]])
    let answer = try await ChipSession(channel: channel).transceive(
      CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: 3))
    #expect(answer.data == [1, 2] && answer.status.sw1 == 0x61)
    #expect(await channel.commands.count == 1)
  }

  @Test("are refused if they never end")
  func endless() async throws {
    let channel = Pieces([[1, 0x61, 0x01]])
    let session = ChipSession(channel: channel)
    await #expect(throws: PassportError.malformedResponse(operation: "GET RESPONSE")) {
      try await session.transceive(CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: 1))
    }
    #expect(await channel.commands.count == 257)
  }

  @Test("are refused beyond the longest response if parts are longer than requested")
  func longPieces() async throws {
    let piece = [UInt8](repeating: 7, count: 32_768)
    let whole = Pieces([piece + [0x61, 0x00], piece + [0x90, 0x00]])
    let answer = try await ChipSession(channel: whole).transceive(
      CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: 256))
    #expect(answer.data.count == 65_536 && answer.status == .success)
    let endless = Pieces([piece + [0x61, 0x00]])
    await #expect(throws: PassportError.malformedResponse(operation: "GET RESPONSE")) {
      _ = try await ChipSession(channel: endless).transceive(CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: 256))
    }
    #expect(await endless.commands.count == 3)
  }

  @Test("carry a protected signature of 2048 bits in two parts without extended length")
  func signature() async throws {
    var profile = ChipProfile.mechanisms
    profile.responseLimit = 256
    let files = try SpecimenDocument(profile: profile).files
    let (result, channel) = try await Reads.read(files, profile: profile)
    let report = try Report(try result.get())
    #expect(report[.activeAuthentication]?.status == .passed && report.isSound)
    #expect(await channel.commands.contains { $0[1] == 0xC0 })
    #expect(await channel.commands.allSatisfy { $0.count <= 261 || $0[1] == 0x86 || $0[1] == 0x22 })
  }

  @Test("leave the check unsupported if a longer signature does not fit and the reader has no extended length")
  func signatureBeyondReader() async throws {
    struct Short: CardChannel {
      let base: any CardChannel
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        command[1] == 0x88 ? [0x67, 0x00] : try await base.transmit(command)
      }
      func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
    }
    for (limit, status) in [(nil, Check.Status.unsupported), (65_536, .failed)] {
      let profile = ChipProfile.mechanisms
      let files = try SpecimenDocument(profile: profile).files
      let chip = try Chip(profile: profile, files: files)
      let answerToReset = chip.answerToReset
      let card = Card(
        channel: Short(base: VirtualCard.card(chip).channel), readerName: "test", answerToReset: answerToReset,
        extendedLengthLimit: limit)
      let dump = try await Inspection.read(card, InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
      let report = try Report(dump)
      let check = report[.activeAuthentication]
      #expect(check?.status == status, "\(check?.detail ?? "")")
      #expect(report.isSound == (limit == nil) && report.headline.contains("CHECK FAILED") == (limit != nil))
      if limit == nil { #expect(check?.detail.contains("the reader does not support it (status 6700)") == true) }
      // A stored dump has the same result.
      let evidence = try ChipEvidence(json: #require(try dump.evidence.json()))
      let again = try Report(DocumentDump(files: dump.files, evidence: evidence))
      #expect(again[.activeAuthentication] == check)
    }
  }
}
