import Passport
import SmartCard
import Synchronization
import Testing
import VirtualChip

@Suite("Chips that refuse a way of reading, and what is tried instead")
struct RecoveryTests {
  /// Answers protected commands of one kind in plain, which ends the session.
  actor Plain: CardChannel {
    private let base: any CardChannel
    private let answers: @Sendable ([UInt8]) -> [UInt8]?
    private(set) var commands: [[UInt8]] = []

    init(_ base: any CardChannel, _ answers: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
      self.base = base
      self.answers = answers
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      commands.append(command)
      if command[0] & 0x0C == 0x0C, let answer = answers(command) { return answer }
      return try await base.transmit(command)
    }

    /// READ BINARY outside of secure messaging, but for EF.CardAccess before the first access control.
    var plainReads: [[UInt8]] {
      let access = commands.firstIndex { [0x82, 0x86].contains($0[1]) } ?? 0
      return commands[access...].filter { $0[0] & 0x0C != 0x0C && [0xB0, 0xB1].contains($0[1]) }
    }
  }

  private static func read(_ channel: any CardChannel, _ card: Card, _ files: ChipFiles) async throws -> DocumentDump {
    try await Inspection.read(
      card.replacing(channel: channel), InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
  }

  @Test(
    "offsets that are refused after a short identifier are read after SELECT", arguments: ["bac", "canada-2023"],
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
    "a short identifier or an offset that is refused in plain: access once more, then SELECT, all of it protected",
    arguments: ["bac", "canada-2023", "france-2017"], [0x6985, 0x6986] as [UInt16])
  func plainRefusal(_ name: String, _ status: UInt16) async throws {
    let profile = try #require(ChipProfile(named: name))
    let files = try SpecimenDocument(profile: profile).files
    let refusal = [UInt8(status >> 8), UInt8(status & 0xFF)]
    for refusesOffsets in [false, true] {
      let card = VirtualCard.card(try Chip(profile: profile, files: files))
      let isSelected = SelectionSeen()
      let channel = Plain(card.channel) { command in
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

  /// A chip that ends its session over extended length, and then opens again only after it was powered anew; meanwhile it
  /// lets everybody read.
  actor Sulking: CardChannel {
    private var base: any CardChannel
    private let open: any CardChannel
    private let replacement: (any CardChannel)?
    private let instruction: UInt8?
    private let comesBack: Bool
    private(set) var isSulking = false
    private(set) var resets = 0
    private(set) var plainReads = 0

    /// - Parameters:
    ///   - replacement: what lies there after the reset, where it is another document.
    ///   - instruction: the one over which the chip ends the session; nil for any with extended length.
    init(
      _ base: any CardChannel, open: any CardChannel, comesBack: Bool, replacement: (any CardChannel)? = nil,
      instruction: UInt8? = nil
    ) {
      self.base = base
      self.open = open
      self.replacement = replacement
      self.instruction = instruction
      self.comesBack = comesBack
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      if let instruction, command[1] == instruction {
        isSulking = true
        return [0x69, 0x85]
      }
      let isExtended = command.count > 5 && command[4] == 0
      if instruction == nil, isExtended {
        // Says that there is no such file before it looks at the length.
        guard command[0] & 0x0C == 0x0C else { return [0x6A, 0x82] }
        isSulking = true
        return [0x67, 0x00]
      }
      guard isSulking else { return try await base.transmit(command) }
      if [0x84, 0x82].contains(command[1]) { return [0x69, 0x82] }
      if command[1] == 0xB0 { plainReads += 1 }
      return try await open.transmit(command)
    }

    func awaitReturn(within time: Duration) async throws {
      guard comesBack else { throw CardError.cardRemoved }
      resets += 1
      isSulking = false
      if let replacement { base = replacement }
      try await base.awaitReturn(within: time)
    }
  }

  private static func sulking(
    announces: Bool, comesBack: Bool, replacement: ChipFiles? = nil
  ) async throws -> (dump: DocumentDump, channel: Sulking, files: ChipFiles) {
    let files = try Reads.specimen()
    let chip = try Chip(profile: .bac, files: files)
    let announcing = try Chip(profile: .bacExtended, files: files).answerToReset
    let other = VirtualCard.card(try Chip(profile: .open, files: files))
    let second = try replacement.map { VirtualCard.card(try Chip(profile: .bac, files: $0)).channel }
    let channel = Sulking(
      VirtualCard.card(chip).channel, open: other.channel, comesBack: comesBack, replacement: second)
    let card = Card(
      channel: channel, readerName: "test", answerToReset: announces ? announcing : nil, extendedLengthLimit: 65_536)
    return (try await read(channel, card, files), channel, files)
  }

  @Test("an unknown file in a trial of extended length shows nothing, and the chip is read without")
  func trial() async throws {
    let (dump, channel, files) = try await Self.sulking(announces: false, comesBack: true)
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    let (resets, plainReads) = await (channel.resets, channel.plainReads)
    #expect(resets == 0 && plainReads == 0)
    #expect(dump.accessProtocol == .bac)
  }

  @Test("a chip that refuses access after it ended the session is powered anew, and read under protection")
  func reset() async throws {
    let (dump, channel, files) = try await Self.sulking(announces: true, comesBack: true)
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(dump.omissions.isEmpty && dump.accessProtocol == .bac)
    let (resets, plainReads) = await (channel.resets, channel.plainReads)
    #expect(resets == 1 && plainReads == 0)
  }

  @Test("a document that was replaced during this reset is not read on, although the same key opens it")
  func replaced() async throws {
    let other = try Self.otherHolder()
    await #expect(throws: PassportError.otherDocument) {
      _ = try await Self.sulking(announces: true, comesBack: true, replacement: other)
    }
  }

  @Test("nor where the chip was asked for a proof of its own")
  func replacedAtProof() async throws {
    let profile = OfferTests.profile {
      $0.requiresBasicAccessControl = true
      $0.activeAuthentication = .ecdsa(AgreementParameters(12, .explicit), .sha256, encoding: .plain)
    }
    let chip = VirtualCard.card(try Chip(profile: profile, files: OfferTests.files(profile)))
    let files = try OfferTests.files(profile)
    let open = VirtualCard.card(try Chip(profile: .open, files: files))
    let other = VirtualCard.card(try Chip(profile: .bac, files: try Self.otherHolder()))
    let channel = Sulking(
      chip.channel, open: open.channel, comesBack: true, replacement: other.channel, instruction: 0x88)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    await #expect(throws: PassportError.otherDocument) {
      _ = try await Inspection.read(chip.replacing(channel: channel), request)
    }
    #expect(await channel.resets == 1)
  }

  /// The same number and dates with another name: the same key opens it.
  private static func otherHolder() throws -> ChipFiles {
    var content = SpecimenDocument.content
    content.secondaryIdentifier = "SOMEBODY ELSE"
    let zone = try MachineReadableZone(content, format: .td3)
    return try SpecimenDocument(groups: [1: DataGroup1(zone: zone).encoded]).files
  }

  @Test("where it cannot be, what was protected is kept, and nothing is read in plain")
  func noReset() async throws {
    let (dump, channel, files) = try await Self.sulking(announces: true, comesBack: false)
    #expect(dump[.dg1] == files[.dg1] && dump.files.map(\.file) == [.dg1])
    #expect(dump.omissions.map(\.file).contains(.sod))
    #expect(await channel.plainReads == 0)
    #expect(dump.accessProtocol == .bac)
  }
}

/// Whether SELECT of a file has been seen.
private final class SelectionSeen: Sendable {
  private let isSeen = Mutex(false)
  var isNoted: Bool { isSeen.withLock { $0 } }
  func note() { isSeen.withLock { $0 = true } }
}
