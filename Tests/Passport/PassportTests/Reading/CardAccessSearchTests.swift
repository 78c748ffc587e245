import ChipTestSupport
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import Testing

@Suite("EF.CardAccess on chips that refuse its short identifier")
struct CardAccessSearchTests {
  /// Refuses the short identifier, and on request also SELECT until the master file was selected.
  private actor Hiding: CardChannel {
    private let base: any CardChannel
    private let status: [UInt8]
    private var isMasterFileCurrent: Bool
    private(set) var commands: [[UInt8]] = []

    init(_ base: any CardChannel, status: UInt16, needsMasterFile: Bool) {
      self.base = base
      self.status = [UInt8(status >> 8), UInt8(status & 0xFF)]
      isMasterFileCurrent = !needsMasterFile
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      commands.append(command)
      if command.starts(with: [0x00, 0xB0, 0x9C]) { return status }
      if command.starts(with: [0x00, 0xA4, 0x00]) { isMasterFileCurrent = true }
      if command.starts(with: [0x00, 0xA4, 0x02]), !isMasterFileCurrent { return [0x6A, 0x82] }
      return try await base.transmit(command)
    }
  }

  static let refusals: [UInt16] = [0x6A82, 0x6982, 0x6D00, 0x6E00, 0x6A86]

  @Test("is found by SELECT, so that the chip is opened by PACE with the MRZ or the CAN", arguments: refusals)
  func selected(_ status: UInt16) async throws {
    let profile = try #require(ChipProfile(named: "germany-2023"))
    let files = try SpecimenDocument(profile: profile).files
    let number = try AccessKey(cardAccessNumber: ChipProfile.specimenCardAccessNumber)
    let zone = try #require(files.mrzInformation.map(AccessKey.mrz))
    // With the key of Basic Access Control, the reader does not search further once SELECT says that there is no such
    // file.
    let isBelieved = [0x6A82, 0x6D00, 0x6E00].contains(status)
    for (key, places) in [(zone, isBelieved ? [false] : [false, true]), (number, [false, true])] {
      for needsMasterFile in places {
        let card = VirtualCard.card(try Chip(profile: profile, files: files))
        let channel = Hiding(card.channel, status: status, needsMasterFile: needsMasterFile)
        let dump = try await Inspection.read(card.replacing(channel: channel), InspectionRequest(key: key))
        #expect(dump.accessProtocol == .pace, "\(needsMasterFile)")
        for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
        #expect(try Report(dump).isSound)
      }
    }
  }

  @Test(
    "is searched for with one SELECT on a chip that does not have it", arguments: [0x6A82, 0x6D00, 0x6E00] as [UInt16])
  func absent(_ status: UInt16) async throws {
    let files = try Reads.specimen()
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    let channel = Hiding(card.channel, status: status, needsMasterFile: false)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let dump = try await Inspection.read(card.replacing(channel: channel), request)
    #expect(dump.accessProtocol == .bac)
    #expect(
      await channel.commands.prefix(3).map { Array($0.prefix(3)) } == [
        [0x00, 0xB0, 0x9C], [0x00, 0xA4, 0x02], [0x00, 0xA4, 0x04],
      ])
  }
}
