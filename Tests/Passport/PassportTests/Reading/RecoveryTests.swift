import ChipTestSupport
import Synchronization
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import Testing

@Suite("Recovery from a refused or failed command")
struct RecoveryTests {
  private static func read(_ channel: any CardChannel, _ card: Card, _ files: ChipFiles) async throws -> DocumentDump {
    try await Inspection.read(
      card.replacing(channel: channel), InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
  }

  @Test(
    "selects every file if the chip refuses offsets after a short identifier", arguments: ["bac", "canada-2023"],
    [0x6985, 0x6986] as [UInt16])
  func offsets(_ name: String, _ status: UInt16) async throws {
    var profile = try #require(ChipProfile(named: name))
    let files = try SpecimenDocument(profile: profile).files
    let usual = try await Reads.read(files, profile: profile).dump.get()
    profile.refusals.offsets = status
    let dump = try await Reads.read(files, profile: profile).dump.get()
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(dump.omissions.isEmpty && dump.accessProtocol == usual.accessProtocol)
    // The refusal, and SELECT for each file from then on.
    #expect(dump.statistics.exchanges <= usual.statistics.exchanges + 1 + files.all.count)
  }

  @Test(
    "repeats access control and selects every file if a short identifier or an offset is refused in plain",
    arguments: ["bac", "canada-2023", "france-2017"], [0x6985, 0x6986] as [UInt16])
  func plainRefusal(_ name: String, _ status: UInt16) async throws {
    let profile = try #require(ChipProfile(named: name))
    let files = try SpecimenDocument(profile: profile).files
    let refusal = [UInt8(status >> 8), UInt8(status & 0xFF)]
    for refusesOffsets in [false, true] {
      let card = VirtualCard.card(try Chip(profile: profile, files: files))
      let isSelected = SelectionSeen()
      let channel = PlainAnswers(card.channel) { command in
        if command[1] == 0xA4, command[2] == 0x02 { isSelected.note() }
        guard command[1] == 0xB0 else { return nil }
        let isShort = command[2] & 0x80 != 0
        return refusesOffsets ? (!isShort && !isSelected.isNoted ? refusal : nil) : (isShort ? refusal : nil)
      }
      let dump = try await Self.read(channel, card, files)
      for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
      #expect(dump.omissions.isEmpty)
      #expect(await channel.plainReads.isEmpty)
      #expect(dump.accessProtocol == (profile.pace.isEmpty ? .bac : .pace))
      #expect(try Report(dump).isSound)
    }
  }

  /// A chip that ends its session over extended length, and refuses access control until it was powered again. Until
  /// then it can be read without access control.
  actor SessionEnding: CardChannel {
    private var base: any CardChannel
    private let open: any CardChannel
    private let replacement: (any CardChannel)?
    private let instruction: UInt8?
    private let canBePowered: Bool
    private(set) var hasEndedSession = false
    private(set) var resets = 0
    private(set) var plainReads = 0

    /// - Parameters:
    ///   - replacement: the document on the reader after the reset; nil for the same.
    ///   - instruction: the instruction over which the chip ends the session; nil for any command with extended length.
    init(
      _ base: any CardChannel, open: any CardChannel, canBePowered: Bool, replacement: (any CardChannel)? = nil,
      instruction: UInt8? = nil
    ) {
      self.base = base
      self.open = open
      self.replacement = replacement
      self.instruction = instruction
      self.canBePowered = canBePowered
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      if let instruction, command[1] == instruction {
        hasEndedSession = true
        return [0x69, 0x85]
      }
      let isExtended = command.count > 5 && command[4] == 0
      if instruction == nil, isExtended {
        // Answers that there is no such file before it checks the length.
        guard command[0] & 0x0C == 0x0C else { return [0x6A, 0x82] }
        hasEndedSession = true
        return [0x67, 0x00]
      }
      guard hasEndedSession else { return try await base.transmit(command) }
      if [0x84, 0x82].contains(command[1]) { return [0x69, 0x82] }
      if command[1] == 0xB0 { plainReads += 1 }
      return try await open.transmit(command)
    }

    func awaitReturn(within time: Duration) async throws {
      guard canBePowered else { throw CardError.cardRemoved }
      resets += 1
      hasEndedSession = false
      if let replacement { base = replacement }
      try await base.awaitReturn(within: time)
    }
  }

  private static func readSessionEnding(
    announces: Bool, canBePowered: Bool, replacement: ChipFiles? = nil
  ) async throws -> (dump: DocumentDump, channel: SessionEnding, files: ChipFiles) {
    let files = try Reads.specimen()
    let chip = try Chip(profile: .bac, files: files)
    let announcing = try Chip(profile: .bacExtended, files: files).answerToReset
    let other = VirtualCard.card(try Chip(profile: .open, files: files))
    let second = try replacement.map { VirtualCard.card(try Chip(profile: .bac, files: $0)).channel }
    let channel = SessionEnding(
      VirtualCard.card(chip).channel, open: other.channel, canBePowered: canBePowered, replacement: second)
    let card = Card(
      channel: channel, readerName: "test", answerToReset: announces ? announcing : nil, extendedLengthLimit: 65_536)
    return (try await read(channel, card, files), channel, files)
  }

  @Test("reads without extended length if the probe is answered with an unknown file")
  func trial() async throws {
    let (dump, channel, files) = try await Self.readSessionEnding(announces: false, canBePowered: true)
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    let (resets, plainReads) = await (channel.resets, channel.plainReads)
    #expect(resets == 0 && plainReads == 0)
    #expect(dump.accessProtocol == .bac)
  }

  @Test("powers a chip again that refuses access control after it ended the session")
  func reset() async throws {
    let (dump, channel, files) = try await Self.readSessionEnding(announces: true, canBePowered: true)
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(dump.omissions.isEmpty && dump.accessProtocol == .bac)
    let (resets, plainReads) = await (channel.resets, channel.plainReads)
    #expect(resets == 1 && plainReads == 0)
  }

  @Test("does not continue with another document after this power cycle, although the same key opens it")
  func replaced() async throws {
    let other = try Self.otherHolder()
    await #expect(throws: PassportError.otherDocument) {
      _ = try await Self.readSessionEnding(announces: true, canBePowered: true, replacement: other)
    }
  }

  @Test("does not continue with another document after a power cycle during Active Authentication")
  func replacedAtProof() async throws {
    let profile = OfferTests.profile {
      $0.requiresBasicAccessControl = true
      $0.activeAuthentication = .ecdsa(AgreementParameters(12, .explicit), .sha256, encoding: .plain)
    }
    let chip = VirtualCard.card(try Chip(profile: profile, files: OfferTests.files(profile)))
    let files = try OfferTests.files(profile)
    let open = VirtualCard.card(try Chip(profile: .open, files: files))
    let other = VirtualCard.card(try Chip(profile: .bac, files: try Self.otherHolder()))
    let channel = SessionEnding(
      chip.channel, open: open.channel, canBePowered: true, replacement: other.channel, instruction: 0x88)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    await #expect(throws: PassportError.otherDocument) {
      _ = try await Inspection.read(chip.replacing(channel: channel), request)
    }
    #expect(await channel.resets == 1)
  }

  /// The same document number and dates with another name, so that the same key opens it.
  private static func otherHolder() throws -> ChipFiles {
    var content = SpecimenDocument.content
    content.secondaryIdentifier = "OTHER PERSON"
    let zone = try MachineReadableZone(content, format: .td3)
    return try SpecimenDocument(groups: [1: DataGroup1(zone: zone).encoded]).files
  }

  @Test("keeps the protected files and reads nothing in plain if the chip cannot be powered again")
  func noReset() async throws {
    let (dump, channel, files) = try await Self.readSessionEnding(announces: true, canBePowered: false)
    #expect(dump[.dg1] == files[.dg1] && dump.files.map(\.file) == [.dg1])
    #expect(dump.omissions.map(\.file).contains(.sod))
    #expect(await channel.plainReads == 0)
    #expect(dump.accessProtocol == .bac)
  }
}

/// Whether SELECT of a file has been seen.
final class SelectionSeen: Sendable {
  private let isSeen = Mutex(false)
  var isNoted: Bool { isSeen.withLock { $0 } }
  func note() { isSeen.withLock { $0 = true } }
}
