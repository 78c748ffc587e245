import ChipTestSupport
import TesseraCryptography
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("A document that is removed and replaced during the read")
struct ResumeTests {
  /// Counts losses of the card and the chip's responses to READ BINARY.
  actor Counting: CardChannel {
    private let base: any CardChannel
    private(set) var answers: [Int] = []
    private(set) var losses = 0

    init(_ base: any CardChannel) { self.base = base }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      do {
        let answer = try await base.transmit(command)
        if [0xB0, 0xB1].contains(command[1]) { answers.append(answer.count) }
        return answer
      } catch {
        losses += 1
        throw error
      }
    }

    func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }

    var bytes: Int { answers.reduce(0, +) }
  }

  static func read(
    _ profile: ChipProfile, files: ChipFiles? = nil, fault: ChipFault? = nil,
    _ change: (inout InspectionRequest) throws -> Void = { _ in }
  ) async throws -> (dump: DocumentDump, channel: Counting, files: ChipFiles) {
    var profile = profile
    profile.fault = fault
    let files = try files ?? SpecimenDocument(profile: profile).files
    let card = VirtualCard.card(try Chip(profile: profile, files: files))
    let channel = Counting(card.channel)
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    try change(&request)
    return (try await Inspection.read(card.replacing(channel: channel), request), channel, files)
  }

  static let profiles = ["bac", "bac-extended", "canada-2023", "china-2018", "germany-2023", "new-zealand-2017"]

  /// The length of the longest block.
  private static func longestBlock(_ channel: Counting) async -> Int { await channel.answers.max() ?? 0 }

  @Test("completes after a loss at any tenth exchange, with at most one block more", arguments: profiles)
  func once(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let whole = try await Self.read(profile)
    let verdict = try Report(whole.dump).checks.map(\.status)
    let exchanges = whole.dump.statistics.exchanges
    let bytes = await whole.channel.bytes
    for exchange in stride(from: 0, to: exchanges, by: exchanges > 40 ? 10 : 1) {
      let (dump, channel, files) = try await Self.read(
        profile, files: whole.files, fault: .disappearance(exchange: exchange, absence: .milliseconds(2)))
      #expect(await channel.losses == 1, "\(exchange)")
      for (file, _) in whole.dump.files where files.all.contains(file) {
        #expect(dump[file] == files[file], "\(exchange): \(file.name)")
      }
      #expect(dump.omissions.isEmpty, "\(exchange)")
      #expect(try Report(dump).checks.map(\.status) == verdict, "\(exchange)")
      let allowance = await Self.longestBlock(channel) + 32
      #expect(await channel.bytes <= bytes + allowance, "\(exchange)")
      #expect(await channel.answers.count <= whole.channel.answers.count + 2, "\(exchange)")
    }
  }

  @Test("completes after a loss at every tenth exchange", arguments: ["bac", "canada-2023", "china-2018"])
  func often(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let whole = try await Self.read(profile)
    let (dump, channel, files) = try await Self.read(profile, fault: .disappearances(every: 10, absence: .zero))
    for (file, _) in whole.dump.files where files.all.contains(file) { #expect(dump[file] == files[file]) }
    let losses = await channel.losses
    #expect(losses > 15)
    let allowance = await losses * Self.longestBlock(channel) + 32
    #expect(await channel.bytes <= whole.channel.bytes + allowance)
    let checks = try Report(dump).checks
    #expect(checks.map(\.status) == (try Report(whole.dump).checks.map(\.status)), "\(checks)")
  }

  @Test("repeats Terminal Authentication after a loss and keeps the proof of Chip Authentication")
  func terminal() async throws {
    let profile = ChipProfile.mechanisms
    let specimen = try SpecimenTerminal()
    let key = try PrivateKey(SecretBytes(specimen.privateKey))
    let chain = try specimen.certificates.map { try CVCertificate($0) }
    // With the whole chain, and with one that no authority of the chip has issued.
    for certificates in [chain, Array(chain.suffix(1))] {
      let credentials = try TerminalCredentials(certificates: certificates, key: key)
      let whole = try await Self.read(profile) { $0.terminalCredentials = credentials }
      let verdict = try Report(whole.dump).checks.map(\.status)
      #expect(try Report(whole.dump)[.terminalAuthentication]?.status == (certificates.count > 1 ? .passed : .skipped))
      for exchange in Sweep.indices(whole.dump.statistics.exchanges, first: 12, last: 12, step: 4) {
        let (dump, _, _) = try await Self.read(profile, fault: .disappearance(exchange: exchange, absence: .zero)) {
          $0.terminalCredentials = credentials
        }
        #expect(dump.omissions.map(\.file) == whole.dump.omissions.map(\.file), "\(exchange)")
        #expect(try Report(dump).checks.map(\.status) == verdict, "\(exchange)")
      }
    }
  }

  @Test("ends the read after the grace period")
  func tooLong() async throws {
    await #expect(throws: CardError.cardRemoved) {
      _ = try await Self.read(.bac, fault: .disappearance(exchange: 30, absence: .seconds(3600))) {
        $0.gracePeriod = .seconds(1)
      }
    }
    await #expect(throws: CardError.cardRemoved) {
      _ = try await Self.read(.bac, fault: .disappearance(exchange: 30, absence: .zero)) { $0.gracePeriod = .zero }
    }
  }

  @Test("ends the read if the card is lost repeatedly before any file can be read")
  func neverReadable() async throws {
    await #expect(throws: CardError.cardRemoved) {
      _ = try await Self.read(.bac, fault: .disappearances(every: 2, absence: .zero))
    }
  }

  @Test("detects another document, even if the same key opens it", arguments: [8, 10, 31])
  func otherDocument(_ exchange: Int) async throws {
    let files = try Reads.specimen()
    var others = files
    // The same MRZ with another portrait.
    let face = FacialImage(data: SpecimenDocument.portrait + [0], width: 413, height: 531)
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    others = try SpecimenDocument(
      groups: [1: DataGroup1(zone: zone).encoded, 2: DataGroup2(faces: [face]).encoded]
    ).files
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    let other = VirtualCard.card(try Chip(profile: .bac, files: others))
    let channel = ExchangedCard(card.channel, then: other.channel, after: exchange)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    await #expect(throws: PassportError.otherDocument) {
      _ = try await Inspection.read(card.replacing(channel: channel), request)
    }
    // The key does not open the document of another holder.
    var content = SpecimenDocument.content
    content.documentNumber = "TS0264719"
    let otherHolder = try SpecimenDocument(
      groups: [1: DataGroup1(zone: MachineReadableZone(content, format: .td3)).encoded]
    ).files
    let stranger = VirtualCard.card(try Chip(profile: .bac, files: otherHolder))
    let second = ExchangedCard(
      VirtualCard.card(try Chip(profile: .bac, files: files)).channel, then: stranger.channel, after: exchange)
    await #expect(throws: PassportError.otherDocument) {
      _ = try await Inspection.read(card.replacing(channel: second), request)
    }
  }
}
