import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import Testing

/// Copies of a chip have all files but no private key, so that they avoid the protocols that need it.
@Suite("Copies that avoid authentication")
struct EvasionTests {
  /// Answers some commands instead of the chip.
  private struct Evading: CardChannel {
    let base: any CardChannel
    let answer: @Sendable ([UInt8]) -> [UInt8]?

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      if let own = answer(command) { return own }
      return try await base.transmit(command)
    }
  }

  private static func read(
    _ name: String, served: (inout ChipProfile) -> Void = { _ in }, files change: (inout ChipFiles) -> Void = { _ in },
    answering answer: @escaping @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }
  ) async throws -> Report {
    var profile = try #require(ChipProfile(named: name))
    var files = try SpecimenDocument(profile: profile).files
    change(&files)
    served(&profile)
    let card = VirtualCard.card(try Chip(profile: profile, files: files))
    let channel = Evading(base: card.channel, answer: answer)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    return try Report(try await Inspection.read(card.replacing(channel: channel), request))
  }

  @Test("fails the check of a chip that refuses Chip Authentication Mapping")
  func refusedMapping() async throws {
    let mapping: [UInt8] = [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, 0x06]
    for status in [[0x6A, 0x80], [0x6A, 0x88]] as [[UInt8]] {
      let report = try await Self.read(
        "finland-2023",
        answering: { command in
          command[1] == 0x22 && command.indices.contains { command[$0...].starts(with: mapping) } ? status : nil
        })
      #expect(report.accessControl.mapping == "GM")
      #expect(report[.paceChipAuthentication]?.status == .failed)
      #expect(!report.isSound)
    }
  }

  @Test("performs Chip Authentication with a copy without access control")
  func open() async throws {
    let report = try await Self.read(
      "malaysia-2023",
      served: {
        $0.requiresBasicAccessControl = false
        $0.fault = .clone
      })
    #expect(report.accessControl.protocol == "none")
    #expect(report[.chipAuthentication]?.status == .failed)
  }

  @Test("accepts no key from an EF.SOD with an invalid signature", arguments: ["austria-2023", "hong-kong-2025"])
  func forged(_ name: String) async throws {
    let report = try await Self.read(
      name,
      files: { files in
        guard var sod = files[.sod], let last = sod.indices.last else { return }
        sod[last] ^= 1
        files[.sod] = sod
      })
    #expect(report[.passiveSignature]?.status == .failed)
    #expect(report[.chipAuthentication]?.status != .passed)
    #expect(report[.activeAuthentication]?.status != .passed)
  }

  @Test(
    "fails the check of a copy that ends the session before Active Authentication",
    arguments: [0x1E, 0x0F, 0x02] as [UInt8])
  func ending(_ shortIdentifier: UInt8) async throws {
    let report = try await Self.read(
      "hong-kong-2025", served: { $0.fault = .clone },
      answering: { $0[1] == 0xB0 && $0[2] == 0x80 | shortIdentifier ? [0x6F, 0x00] : nil })
    #expect(!report.isSound)
    if shortIdentifier == 0x1E { #expect(report[.activeAuthentication]?.status == .failed) }
  }

  /// Another chip answers from one command on, and the reader reports no removal.
  private actor Switched: CardChannel {
    private let first: any CardChannel
    private let second: any CardChannel
    private var rest: Int

    init(_ first: any CardChannel, then second: any CardChannel, after exchanges: Int) {
      (self.first, self.second, rest) = (first, second, exchanges)
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      rest -= 1
      return try await (rest >= 0 ? first : second).transmit(command)
    }
  }

  @Test("accepts no proof of an original for a copy that ends its session and answers in a new one", arguments: 18..<40)
  func switched(_ exchange: Int) async throws {
    var profile = try #require(ChipProfile(named: "canada-2023"))
    let files = try SpecimenDocument(profile: profile).files
    let card = VirtualCard.card(try Chip(profile: profile, files: files))
    profile.fault = .clone
    let copy = VirtualCard.card(try Chip(profile: profile, files: files))
    let channel = Switched(card.channel, then: copy.channel, after: exchange)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let report = try Report(try await Inspection.read(card.replacing(channel: channel), request))
    #expect(report[.chipAuthentication]?.status == .failed, "\(report.headline)")
  }

  @Test("keeps the refusal of Chip Authentication Mapping if a later session fails")
  func refusedMappingAndEnd() async throws {
    let mapping: [UInt8] = [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, 0x06]
    let isOver = SelectionSeen()
    let report = try await Self.read(
      "finland-2023",
      answering: { command in
        let isMapping = command[1] == 0x22 && command.indices.contains { command[$0...].starts(with: mapping) }
        if isMapping { return isOver.isNoted ? [0x90, 0x00] : [0x6A, 0x80] }
        if command[1] == 0x86, isOver.isNoted { return [0x6F, 0x00] }
        guard command[0] == 0x0C, command[1] == 0xB0, command[2] == 0x80 | 0x1E else { return nil }
        isOver.note()
        return [0x69, 0x88]
      })
    #expect(report[.paceChipAuthentication]?.status == .failed)
  }

  @Test("detects an original that is replaced by a copy after Chip Authentication", arguments: [20, 23, 26])
  func exchanged(_ exchange: Int) async throws {
    var profile = try #require(ChipProfile(named: "canada-2023"))
    let files = try SpecimenDocument(profile: profile).files
    let card = VirtualCard.card(try Chip(profile: profile, files: files))
    profile.fault = .clone
    let copy = VirtualCard.card(try Chip(profile: profile, files: files))
    let channel = ExchangedCard(card.channel, then: copy.channel, after: exchange)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let report = try Report(try await Inspection.read(card.replacing(channel: channel), request))
    #expect(report[.chipAuthentication]?.status == .failed)
    #expect(report[.passiveHashes]?.status == .passed)
  }
}
