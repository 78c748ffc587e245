import Synchronization
import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// True for the first call only.
private final class FirstTime: Sendable {
  private let isOver = Mutex(false)
  func isFirst() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }
}

@Suite("Commands that do not fit a short APDU")
struct LongCommandTests {
  /// Records all commands and refuses some.
  private actor Refusing: CardChannel {
    private let base: any CardChannel
    private let answer: @Sendable (_ command: [UInt8]) -> [UInt8]?
    private(set) var commands: [[UInt8]] = []

    init(_ base: any CardChannel, _ answer: @escaping @Sendable (_ command: [UInt8]) -> [UInt8]? = { _ in nil }) {
      self.base = base
      self.answer = answer
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      commands.append(command)
      if let own = answer(command) { return own }
      return try await base.transmit(command)
    }

    func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }

    /// The form of each command that carries a certificate.
    var certificates: [Form] {
      commands.filter { $0[1] == 0x2A }.map { $0[0] & 0x10 != 0 ? .chained : $0[4] == 0 ? .extended : .short }
    }
  }

  enum Form: Equatable { case chained, extended, short }

  // MARK: - Certificates

  /// Reads through a PC/SC reader, from a chip that announces this about extended length.
  private static func inspect(
    _ profile: ChipProfile, says extendedLength: Bool?, extensionLength: Int = 200, cap: Int? = nil,
    _ wrap: (any CardChannel) -> Refusing = { Refusing($0) }
  ) async throws -> (report: Report, channel: Refusing) {
    let files = try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile).files
    let channel = wrap(VirtualCard.card(try Chip(profile: profile, files: files)).channel)
    let answerToReset = extendedLength.map {
      AnswerToReset.contactless(historicalBytes: [0x80, 0x73, 0x80, 0x21, $0 ? 0xC0 : 0x80])
    }
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let extensions = BERTLV.encode(0x65, BERTLV.encode(0x73, [UInt8](repeating: 0, count: extensionLength)))
    request.terminalCredentials = try TerminalOfferTests.credentials(SpecimenTerminal(extensions: extensions))
    request.maximumReadLength = cap
    request.dataGroups = [1, 3, 14]
    let card = Card(
      channel: channel, readerName: "test", answerToReset: answerToReset, extendedLengthLimit: 65_536)
    return (try Report(try await Inspection.read(card, request)), channel)
  }

  @Test("sends certificates with extended length despite a maximum read length", arguments: [nil, 64, 200, 256, 1000])
  func cap(_ cap: Int?) async throws {
    for says in [nil, true] {
      let (report, channel) = try await Self.inspect(.mechanisms, says: says, cap: cap)
      #expect(report[.terminalAuthentication]?.status == .passed)
      #expect(await channel.certificates == [.extended, .extended])
    }
  }

  @Test("sends a certificate that fits a short command in one")
  func short() async throws {
    for says in [nil, true, false] {
      let (report, channel) = try await Self.inspect(.mechanisms, says: says, extensionLength: 0)
      #expect(report[.terminalAuthentication]?.status == .passed)
      #expect(await channel.certificates == [.short, .short])
    }
  }

  @Test("sends certificates with extended length after a truncated first response")
  func cutAnswer() async throws {
    let firstTime = FirstTime()
    let (report, channel) = try await Self.inspect(.mechanisms, says: nil) { base in
      Refusing(base) { _ in firstTime.isFirst() ? [0x31, 0x82, 0x01, 0x7C] : nil }
    }
    #expect(report[.terminalAuthentication]?.status == .passed)
    #expect(await channel.certificates == [.extended, .extended])
  }

  @Test("sends certificates with extended length to a chip that refuses a chain, although it does not announce support")
  func refusedChain() async throws {
    var profile = ChipProfile.mechanisms
    // The refusal is protected, which leaves the session open.
    profile.refusals.commandChaining = 0x6884
    let (report, channel) = try await Self.inspect(profile, says: false)
    #expect(report[.terminalAuthentication]?.status == .passed, "\(report[.terminalAuthentication]?.detail ?? "")")
    #expect(await channel.certificates == [.chained, .extended, .extended])
    #expect(report.isSound && report.omissions.isEmpty)
    // The refusal is in plain, which ends the session.
    let (other, plain) = try await Self.inspect(.mechanisms, says: false) {
      Refusing($0) { $0[0] == 0x1C && $0[1] == 0x2A ? [0x68, 0x84] : nil }
    }
    #expect(other[.terminalAuthentication]?.status == .passed, "\(other[.terminalAuthentication]?.detail ?? "")")
    #expect(await plain.certificates == [.chained, .extended, .extended])
    #expect(other.isSound && other.omissions.isEmpty)
  }

  @Test("sends certificates in a chain to a chip that refuses extended length", arguments: [nil, true])
  func refusedLength(_ says: Bool?) async throws {
    let (report, channel) = try await Self.inspect(.mechanisms, says: says) {
      Refusing($0) { $0[0] == 0x0C && $0[1] == 0x2A && $0[4] == 0 ? [0x67, 0x00] : nil }
    }
    #expect(report[.terminalAuthentication]?.status == .passed, "\(report[.terminalAuthentication]?.detail ?? "")")
    let forms = await channel.certificates
    #expect(forms.first == .extended && forms.contains(.chained))
    #expect(report.isSound && report.omissions.isEmpty)
  }

  @Test("repeats Chip Authentication with extended length if the chip ends the session over a chain")
  func chipAuthentication() async throws {
    let profile = OfferTests.profile {
      $0.requiresBasicAccessControl = true
      $0.chipAuthentication = [ChipAuthenticationOffer(.aes128, AgreementParameters(2), keyIdentifier: nil)]
      $0.responseLimit = 65_536
    }
    let files = try OfferTests.files(profile)
    let channel = Refusing(VirtualCard.card(try Chip(profile: profile, files: files)).channel) {
      $0[0] == 0x1C && $0[1] == 0x86 ? [0x68, 0x84] : nil
    }
    // The chip does not announce extended length.
    let card = Card(
      channel: channel, readerName: "test",
      answerToReset: .contactless(historicalBytes: [0x80, 0x73, 0x80, 0x21, 0x80]), extendedLengthLimit: 65_536)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let report = try Report(try await Inspection.read(card, request))
    #expect(report[.chipAuthentication]?.status == .passed, "\(report[.chipAuthentication]?.detail ?? "")")
    let forms = await channel.commands.filter { $0[1] == 0x86 && $0[0] & 0x0C == 0x0C }.map { $0[0] & 0x10 != 0 }
    #expect(forms.contains(true) && forms.contains(false), "\(forms)")
    #expect(report.omissions.isEmpty, "\(report.omissions)")
  }

  // MARK: - PACE over Diffie-Hellman

  private static let long = PACEOffer(.generic, .aes128, AgreementParameters(2))
  private static let elliptic = PACEOffer(.generic, .tripleDES, AgreementParameters(12))

  /// A libnfc reader, which does not support extended length. The chip takes the first part of a public key for the
  /// whole key.
  private static func open(
    _ pace: [PACEOffer], basicAccess: Bool, commandLengthLimit: Int? = nil, key: AccessKey? = nil
  ) async throws -> DocumentDump {
    let profile = OfferTests.profile {
      $0.pace = pace
      $0.requiresBasicAccessControl = basicAccess
      $0.responseLimit = 256
    }
    let files = try OfferTests.files(profile)
    let chip = try Chip(profile: profile, files: files)
    let answerToReset = chip.answerToReset
    let channel = Refusing(VirtualCard.card(chip).channel) { command in
      guard command[0] == 0x10, command[1] == 0x86, let header = try? BERTLV.header(of: command[5...]) else {
        return nil
      }
      return header.totalLength > Int(command[4]) ? [0x6A, 0x80] : nil
    }
    let card = Card(
      channel: channel, readerName: "test", answerToReset: answerToReset, commandLengthLimit: commandLengthLimit)
    return try await Inspection.read(
      card, InspectionRequest(key: key ?? files.mrzInformation.map(AccessKey.mrz), dataGroups: [1]))
  }

  @Test("skips an offer whose public keys the chip refuses in a chain, for one that fits a short command")
  func otherOffer() async throws {
    let dump = try await Self.open([Self.long, Self.elliptic], basicAccess: true)
    #expect(dump.accessProtocol == .pace && dump.pace?.pace.agreement == .ecdh)
    #expect(dump.pace?.reason.contains("DH-GM AES-128 was refused with status 6A80.") == true)
  }

  @Test(
    "opens the chip by Basic Access Control if no other offer fits, and reports the reason", arguments: [nil, 262])
  func basicAccess(_ limit: Int?) async throws {
    let dump = try await Self.open([Self.long], basicAccess: true, commandLengthLimit: limit)
    let access = try Report(dump).accessControl
    #expect(access.protocol == "BAC" && access.reason?.contains("extended length") == true, "\(access)")
  }

  @Test("names the reader as the cause if no protocol opens the chip", arguments: [nil, 262])
  func nothing(_ limit: Int?) async throws {
    let number = try AccessKey(cardAccessNumber: ChipProfile.specimenCardAccessNumber)
    for key in [nil, number] {
      let error = await #expect(throws: PassportError.self) {
        try await Self.open([Self.long], basicAccess: false, commandLengthLimit: limit, key: key)
      }
      #expect(error == .pace(.needsExtendedLength))
      let text = "\(error?.failure.cause ?? "") \(error?.failure.remedy ?? "")"
      #expect(text.contains("extended length") && !text.contains("--skip-pace"))
    }
  }
}
