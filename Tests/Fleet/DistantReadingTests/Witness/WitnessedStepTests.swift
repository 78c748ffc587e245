import ChipTestSupport
import Synchronization
import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet
@testable import TesseraPassport
@testable import TesseraVirtualChip

@Suite("The last step of a witnessed read")
struct WitnessedStepTests {
  /// Fails one exchange. The card is there again afterwards.
  actor Losing: CardChannel {
    private var present: Card
    private let next: Card
    private let lost: Int
    private var count = 0
    private(set) var losses = 0

    init(_ card: Card, then next: Card, at lost: Int) {
      present = card
      self.next = next
      self.lost = lost
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      count += 1
      guard count != lost else {
        losses += 1
        throw CardError.cardRemoved
      }
      return try await present.channel.transmit(command)
    }

    func awaitReturn(within time: Duration) async throws { present = next }
  }

  static func setUp(_ name: String) throws -> (ChipProfile, SpecimenDocument) {
    let profile = try #require(ChipProfile(named: name))
    return (profile, try SpecimenDocument(profile: profile))
  }

  @Test(
    "a card lost in it is proved with the same agreement after its return",
    arguments: ["malaysia-2023", "france-2017"], 0...2)
  func loss(_ name: String, _ fromEnd: Int) async throws {
    let (profile, document) = try Self.setUp(name)
    let undisturbed = try await WitnessedRead(document, profile).dump
    // The step has two exchanges with MSE:Set KAT, else three.
    guard fromEnd < 2 || undisturbed.content.chipAuthentication?.chipAuthentication.cipher != .tripleDES else { return }
    let lost = undisturbed.statistics.exchanges - fromEnd
    for isClone in [false, true] {
      let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
      var other = profile
      if isClone { other.fault = .clone }
      let next = VirtualCard.card(try Chip(profile: other, files: document.files))
      let channel = Losing(card, then: next, at: lost)
      let read = try await WitnessedRead(document, profile, card: card.replacing(channel: channel))
      #expect(await channel.losses == 1)
      #expect(await read.inspector.calls == 1)
      #expect(read.report.outcome == (isClone ? .notGenuine : .genuine), "\(read.report.headline)")
    }
  }

  @Test("another document after a loss ends the read")
  func otherDocument() async throws {
    let (profile, document) = try Self.setUp("malaysia-2023")
    let lost = try await WitnessedRead(document, profile).dump.statistics.exchanges
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let other = try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile)
    let next = VirtualCard.card(try Chip(profile: profile, files: other.files))
    let channel = Losing(card, then: next, at: lost)
    await #expect(throws: PassportError.otherDocument) {
      try await WitnessedRead(document, profile, card: card.replacing(channel: channel))
    }
  }

  /// Wants something to be sent that is no Chip Authentication.
  struct Demanding: ChipWitness {
    let change: @Sendable (WitnessedAgreement) -> WitnessedAgreement

    func agreement(for dump: DocumentDump) throws -> WitnessedAgreement? {
      try ChipAuthenticationWitness(for: dump).map { change($0.agreement) }
    }

    func record(_ answer: WitnessedAnswer) {}
  }

  static let demands: [(name: String, change: @Sendable (WitnessedAgreement) -> WitnessedAgreement)] = {
    @Sendable func changed(
      _ agreement: WitnessedAgreement, protocol identifier: String? = nil, number: Int? = nil, key: [UInt8]? = nil,
      confirmation: [UInt8]? = nil
    ) -> WitnessedAgreement {
      WitnessedAgreement(
        protocolIdentifier: identifier ?? agreement.protocolIdentifier,
        keyIdentifier: number ?? agreement.keyIdentifier,
        publicKey: key ?? agreement.publicKey, confirmation: confirmation ?? agreement.confirmation)
    }
    return [
      ("no protocol", { changed($0, protocol: "") }),
      ("another protocol", { changed($0, protocol: "0.4.0.127.0.7.2.2.4.2.2") }),
      ("an endless protocol", { changed($0, protocol: "0.4.0.127.0.7.2.2.3.2.99999999999999999999") }),
      ("a negative number", { changed($0, number: .min) }),
      ("no key", { changed($0, key: []) }),
      ("a long key", { changed($0, key: [UInt8](repeating: 1, count: 1025)) }),
      ("no command", { changed($0, confirmation: []) }),
      ("a plain command", { changed($0, confirmation: [0x00, 0xA4, 0x02, 0x0C, 0x02, 0x01, 0x01]) }),
      ("a command that writes", { changed($0, confirmation: [0x0C, 0xD6, 0x00, 0x00, 0x01, 0x01]) }),
      (
        "a long command",
        { changed($0, confirmation: [0x0C, 0xA4, 0x02, 0x0C] + [UInt8](repeating: 0, count: 258)) }
      ),
    ]
  }()

  @Test("an inspector can have nothing else sent to the chip", arguments: demands.map(\.name))
  func demand(_ name: String) async throws {
    let (profile, document) = try Self.setUp("malaysia-2023")
    let change = try #require(Self.demands.first { $0.name == name }).change
    let (error, channel) = try await Self.attempt(profile, document, Demanding(change: change))
    #expect(error as? ChipWitnessError == .unusableAgreement)
    let sent = await channel.commands
    let (none, usual) = try await Self.attempt(profile, document, Demanding { $0 })
    #expect(none == nil)
    #expect(await sent.count < usual.commands.count)
    #expect(sent.allSatisfy { ![0x22, 0x86, 0xD6].contains($0[1]) })
  }

  private static func attempt(
    _ profile: ChipProfile, _ document: SpecimenDocument, _ witness: any ChipWitness
  ) async throws -> (error: (any Error)?, channel: PlainAnswers) {
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let channel = PlainAnswers(card.channel) { _ in nil }
    do {
      var request = InspectionRequest(key: document.files.mrzInformation.map(AccessKey.mrz))
      request.prove(by: witness)
      _ = try await Inspection.read(card.replacing(channel: channel), request)
      return (nil, channel)
    } catch {
      return (error, channel)
    }
  }

  @Test("the inspector's error ends the read")
  func failure() async throws {
    struct Gone: ChipWitness {
      func agreement(for dump: DocumentDump) throws -> WitnessedAgreement? { throw CancellationError() }
      func record(_ answer: WitnessedAnswer) {}
    }
    let (profile, document) = try Self.setUp("malaysia-2023")
    #expect(try await Self.attempt(profile, document, Gone()).error is CancellationError)
  }

  @Test("a reader that cannot carry the proof is not taken for a copied chip", arguments: ["dh", "all"])
  func reader(_ name: String) async throws {
    let (profile, document) = try Self.setUp(name)
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    // The key of 2048 bits does not fit the first reader, the signature of 2048 bits not the second.
    let limited = Card(
      channel: card.channel, readerName: "limited", answerToReset: card.answerToReset,
      commandLengthLimit: name == "dh" ? 262 : nil)
    let inspector = TestInspector()
    await #expect(throws: ChipWitnessError.readerUnsuitable) {
      try await WitnessedRead(document, profile, card: limited, inspector)
    }
    #expect(await inspector.calls == 0)
  }

  @Test(
    "a response without a status word, and one in plain, prove nothing",
    arguments: [[], [0x90], [0x90, 0x00], [0x69, 0x88]] as [[UInt8]])
  func response(_ response: [UInt8]) async throws {
    let (profile, document) = try Self.setUp("malaysia-2023")
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let inspector = TestInspector()
    let count = Mutex(0)
    // SELECT of DG14 is sent only as the confirmation.
    let channel = PlainAnswers(card.channel) { command in
      guard command[1] == 0xA4, command[2] == 0x02 else { return nil }
      count.withLock { $0 += 1 }
      return response
    }
    let read = try await WitnessedRead(document, profile, card: card.replacing(channel: channel), inspector)
    // A chip that ends its session over the confirmation, perhaps by chance, is asked again.
    #expect(count.withLock { $0 } == (response.count == 2 ? 2 : 1))
    #expect(read.answer == WitnessedAnswer(response: response.count < 2 ? nil : response))
    #expect(read.report[.chipAuthentication]?.status == .failed)
    // An answer in plain is wrong; none is no proof.
    #expect(read.report.outcome == (response.count < 2 ? .notEstablished : .notGenuine))
  }

  @Test("a copy that ends its session over the confirmation and grants no other one keeps its answer")
  func endedForGood() async throws {
    let (profile, document) = try Self.setUp("malaysia-2023")
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let hasEnded = Mutex(false)
    let channel = PlainAnswers(card.channel) { command in
      if command[1] == 0xA4, command[2] == 0x02 { hasEnded.withLock { $0 = true } }
      return hasEnded.withLock { $0 } ? [0x69, 0x88] : nil
    }
    let read = try await WitnessedRead(document, profile, card: card.replacing(channel: channel), TestInspector())
    #expect(read.answer == WitnessedAnswer(response: [0x69, 0x88]))
    #expect(read.report.outcome == .notGenuine)
  }

  /// Answers some commands instead of the chip.
  private struct Answering: CardChannel {
    let base: any CardChannel
    let answer: @Sendable ([UInt8]) -> [UInt8]?

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      if let own = answer(command) { return own }
      return try await base.transmit(command)
    }
  }

  @Test("a chip that ended its session before is proved in a new one", arguments: [false, true], [false, true])
  func endedSession(_ isClone: Bool, _ refusesAccess: Bool) async throws {
    var (profile, document) = try Self.setUp("malaysia-2023")
    profile.refusals.plainCommonData = 0x6982
    if isClone { profile.fault = .clone }
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let challenges = Mutex(0)
    let channel = Answering(base: card.channel) { command in
      guard command[1] == 0x84 else { return nil }
      let number = challenges.withLock { count in
        count += 1
        return count
      }
      return refusesAccess && number > 1 ? [0x69, 0x85] : nil
    }
    let read = try await WitnessedRead(document, profile, card: card.replacing(channel: channel))
    #expect(challenges.withLock { $0 } > 1)
    #expect((read.answer == WitnessedAnswer()) == refusesAccess)
    #expect(
      read.report.outcome == (refusesAccess ? .notEstablished : isClone ? .notGenuine : .genuine),
      "\(read.report.headline)")
  }

  @Test("the key is sent with extended length if the chip ends the session over a chain")
  func refusedChain() async throws {
    var profile = ChipProfile(name: "offer", summary: "", requiresBasicAccessControl: true, responseLimit: 65_536)
    profile.cardAccessNumber = ChipProfile.specimenCardAccessNumber
    profile.announcesChaining = true
    profile.chipAuthentication = [ChipAuthenticationOffer(.aes128, AgreementParameters(2), keyIdentifier: nil)]
    let document = try SpecimenDocument(profile: profile)
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let channel = PlainAnswers(card.channel) { $0[0] == 0x1C && $0[1] == 0x86 ? [0x68, 0x84] : nil }
    // The chip does not announce extended length.
    let answerToReset = AnswerToReset.contactless(historicalBytes: [0x80, 0x73, 0x80, 0x21, 0x80])
    let read = try await WitnessedRead(
      document, profile,
      card: Card(channel: channel, readerName: "test", answerToReset: answerToReset, extendedLengthLimit: 65_536))
    #expect(await channel.commands.filter { $0[1] == 0x86 }.map { $0[0] } == [0x1C, 0x0C])
    #expect(read.report.outcome == .genuine, "\(read.report.headline)")
  }
}
