import Passport
import SmartCard
import Testing
import VirtualChip

@Suite("Extended length, as a chip tells of it or not")
struct ExtendedLengthTests {
  /// How the chip and its reader are.
  enum Telling: CaseIterable {
    case historicalBytes, nowhere
  }

  /// Says no to extended length, in its own way.
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

  @Test("is used wherever it works", arguments: Telling.allCases)
  func isUsed(_ telling: Telling) async throws {
    let profile = try Self.profile("taiwan-2024")
    let files = try SpecimenDocument(profile: profile).files
    let chip = try Chip(profile: profile, files: files)
    let answerToReset: AnswerToReset? =
      switch telling {
      case .historicalBytes: chip.answerToReset
      case .nowhere: nil
      }
    let card = Self.card(chip, answerToReset)
    let dump = try await Inspection.read(card, InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(dump.statistics.exchanges < 24)
    #expect(dump[.cardInformation] == nil)
  }

  @Test("no exchange asks for it where the answer to reset denies it, as a PC/SC reader tells")
  func isDenied() async throws {
    let row = try #require(ExchangeCountTests.rows.first { $0.name == "PACE, short APDUs" })
    var profile = row.profile
    // With EF.ATR/INFO, which nobody needs then.
    profile.announcesChaining = true
    let files = try ExchangeCountTests.document(profile)
    let chip = try Chip(profile: profile, files: files)
    let answerToReset = chip.answerToReset
    #expect(answerToReset.extendedLength == false)
    let key = files.mrzInformation.map(AccessKey.mrz)
    let dump = try await Inspection.read(
      Self.card(chip, answerToReset), InspectionRequest(key: key, dataGroups: [1, 2]))
    #expect(dump[.cardInformation] == nil && dump.statistics.exchanges == row.floor)
  }

  /// `6700` and others in plain end secure messaging.
  static let refusals: [[UInt8]] = [[0x67, 0x00], [0x6D, 0x00], [0x6F, 0x00], [0x69, 0x88], [0x6C, 0x00]]

  @Test("is given up after one refusal, and everything is read without", arguments: refusals)
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
        // The refusal, access once more, EF.ATR/INFO.
        #expect(dump.statistics.exchanges <= usual.statistics.exchanges + 14, "\(name)")
        #expect(try Report(dump).checks.map(\.status) == Report(usual).checks.map(\.status), "\(name)")
      }
    }
  }

  @Test(
    "a chip that ends the session over answers beyond its buffer is read in smaller ones", arguments: [400, 1000, 4000])
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

  @Test("a reader that cannot carry it is no loss of the document, not even where none is waited for")
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
        request.returnTime = .zero
        let dump = try await Inspection.read(card.replacing(channel: Short(base: card.channel)), request)
        for file in files.all { #expect(dump[file] == files[file], "\(name): \(file.name)") }
      }
    }
  }

  @Test("EF.ATR/INFO tells by lengths or by capabilities, and what is malformed tells nothing")
  func cardInformation() {
    let lengths: [UInt8] = [0x7F, 0x66, 0x08, 0x02, 0x02, 0x10, 0x00, 0x02, 0x02, 0x08, 0x00]
    let told = EFATRInfo([0x43, 0x01, 0xB8] + lengths)
    #expect(told.extendedLength == true && told.longestCommand == 4096 && told.longestResponse == 2048)
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

  @Test("EF.DIR and EF.ATR/INFO are read where they are asked for")
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
