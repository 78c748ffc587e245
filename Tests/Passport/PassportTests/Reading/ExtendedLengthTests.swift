import ChipTestSupport
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import Testing

@Suite("Extended length, announced or not")
struct ExtendedLengthTests {
  /// Where the chip announces extended length.
  enum Announcement: CaseIterable {
    case historicalBytes, nowhere
  }

  /// Refuses extended length with a given status.
  private struct Refusing: CardChannel {
    let base: any CardChannel
    let status: [UInt8]
    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      guard command.count > 6, command[4] == 0 else { return try await base.transmit(command) }
      return status
    }
  }

  private static func card(_ chip: sending Chip, _ answerToReset: AnswerToReset?, refusal: [UInt8]? = nil) -> Card {
    let card = VirtualCard.card(chip)
    let channel = refusal.map { Refusing(base: card.channel, status: $0) as any CardChannel } ?? card.channel
    return Card(channel: channel, readerName: "test", answerToReset: answerToReset, extendedLengthLimit: 65_536)
  }

  private static func profile(_ name: String) throws -> ChipProfile { try #require(ChipProfile(named: name)) }

  @Test("is used wherever the chip supports it", arguments: Announcement.allCases)
  func isUsed(_ announcement: Announcement) async throws {
    let profile = try Self.profile("taiwan-2024")
    let files = try SpecimenDocument(profile: profile).files
    let chip = try Chip(profile: profile, files: files)
    let answerToReset: AnswerToReset? =
      switch announcement {
      case .historicalBytes: chip.answerToReset
      case .nowhere: nil
      }
    let card = Self.card(chip, answerToReset)
    let dump = try await Inspection.read(card, InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(dump.statistics.exchanges < 24)
    #expect(dump[.cardInformation] == nil)
  }

  @Test("is not probed if the answer to reset says that the chip does not support it")
  func isDenied() async throws {
    let row = try #require(ExchangeCountTests.rows.first { $0.name == "PACE, short APDUs" })
    var profile = row.profile
    // The chip has EF.ATR/INFO, which the reader need not read then.
    profile.announcesChaining = true
    let files = try Reads.longDocument(profile)
    let chip = try Chip(profile: profile, files: files)
    let answerToReset = chip.answerToReset
    #expect(answerToReset.extendedLength == false)
    let key = files.mrzInformation.map(AccessKey.mrz)
    let dump = try await Inspection.read(
      Self.card(chip, answerToReset), InspectionRequest(key: key, dataGroups: [1, 2]))
    #expect(dump[.cardInformation] == nil && dump.statistics.exchanges == row.floor)
  }

  /// `6700` and other status words in plain, which end secure messaging.
  static let refusals: [[UInt8]] = [[0x67, 0x00], [0x6D, 0x00], [0x6F, 0x00], [0x69, 0x88], [0x6C, 0x00]]

  @Test("is not used again after one refusal, and every file is read without it", arguments: refusals)
  func isRefused(_ status: [UInt8]) async throws {
    for name in ["bac", "bac-extended", "canada-2023", "germany-2023", "taiwan-2024"] {
      let profile = try Self.profile(name)
      let files = try SpecimenDocument(profile: profile).files
      let key = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
      let chip = try Chip(profile: profile, files: files)
      for answerToReset in [chip.answerToReset, nil] {
        var short = profile
        short.responseLimit = 256
        let usual = try await Inspection.read(VirtualCard.card(try Chip(profile: short, files: files)), key)
        let dump = try await Inspection.read(
          Self.card(try Chip(profile: profile, files: files), answerToReset, refusal: status), key)
        for file in files.all { #expect(dump[file] == files[file], "\(name): \(file.name)") }
        #expect(dump.omissions.isEmpty, "\(name)")
        // The refusal, access control again, EF.ATR/INFO.
        #expect(dump.statistics.exchanges <= usual.statistics.exchanges + 14, "\(name)")
        #expect(try Report(dump).checks.map(\.status) == Report(usual).checks.map(\.status), "\(name)")
      }
    }
  }

  @Test(
    "is reduced for a chip that ends the session over responses longer than its buffer", arguments: [400, 1000, 4000])
  func limited(_ limit: Int) async throws {
    struct Limited: CardChannel {
      let base: any CardChannel
      let limit: Int
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        let answer = try await base.transmit(command)
        return answer.count > limit ? [0x67, 0x00] : answer
      }
    }
    for name in ["bac-extended", "germany-2023"] {
      let profile = try Self.profile(name)
      let files = try SpecimenDocument(profile: profile).files
      let card = VirtualCard.card(try Chip(profile: profile, files: files))
      let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
      let dump = try await Inspection.read(card.replacing(channel: Limited(base: card.channel, limit: limit)), request)
      for file in files.all { #expect(dump[file] == files[file], "\(name): \(file.name)") }
      #expect(try Report(dump).isSound, "\(name)")
    }
  }

  @Test("is not used with a reader that cannot carry it, without waiting for the document")
  func shortReader() async throws {
    struct Short: CardChannel {
      let base: any CardChannel
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        guard command.count <= 6 || command[4] != 0 else {
          throw CardError.service(operation: "SCardTransmit", code: 1)
        }
        return try await base.transmit(command)
      }
      func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
    }
    for name in ["bac-extended", "germany-2023", "taiwan-2024"] {
      let profile = try Self.profile(name)
      let files = try SpecimenDocument(profile: profile).files
      let announcing = try Chip(profile: profile, files: files).answerToReset
      for answerToReset in [announcing, nil] {
        let card = Self.card(try Chip(profile: profile, files: files), answerToReset)
        var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
        request.gracePeriod = .zero
        let dump = try await Inspection.read(card.replacing(channel: Short(base: card.channel)), request)
        for file in files.all { #expect(dump[file] == files[file], "\(name): \(file.name)") }
      }
    }
  }

  @Test("is announced by the lengths or the capabilities in EF.ATR/INFO, unless these are malformed")
  func cardInformation() {
    let lengths: [UInt8] = [0x7F, 0x66, 0x08, 0x02, 0x02, 0x10, 0x00, 0x02, 0x02, 0x08, 0x00]
    let information = EFATRInfo([0x43, 0x01, 0xB8] + lengths)
    #expect(
      information.extendedLength == true && information.longestCommand == 4096 && information.longestResponse == 2048)
    #expect(EFATRInfo([0x47, 0x03, 0x94, 0x01, 0xC0]).extendedLength == true)
    #expect(EFATRInfo([0x80, 0x47, 0x03, 0x94, 0x01, 0x80]).extendedLength == false)
    #expect(EFATRInfo([0x7F, 0x66, 0x06, 0x02, 0x01, 0xFF, 0x02, 0x01, 0xFF]).extendedLength == false)
    for length in 0..<lengths.count - 1 { #expect(EFATRInfo(Array(lengths.prefix(length))).extendedLength == nil) }
    #expect(
      EFATRInfo([0x7F, 0x66, 0x0A, 0x02, 0x03, 0xFF, 0xFF, 0xFF, 0x02, 0x03, 0xFF, 0xFF, 0xFF]).longestResponse
        == 0xFF_FFFF)
    let huge: [UInt8] = [0x02, 0x09] + [UInt8](repeating: 0xFF, count: 9)
    #expect(EFATRInfo([0x7F, 0x66, 0x16] + huge + huge).longestResponse == nil)
    #expect(EFATRInfo([]).extendedLength == nil)
  }

  @Test("is announced by EF.ATR/INFO, which is read with EF.DIR on request")
  func cardFiles() async throws {
    let profile = try Self.profile("germany-2023")
    let files = try SpecimenDocument(profile: profile).files
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    request.readsCardFiles = true
    let dump = try await Inspection.read(VirtualCard.card(try Chip(profile: profile, files: files)), request)
    #expect(dump[.directory]?.starts(with: [0x61]) == true)
    #expect(dump.content.cardInformation?.extendedLength == true)
    #expect(dump[.cardSecurity] != nil)
    for file in files.all { #expect(dump[file] == files[file]) }
  }
}
