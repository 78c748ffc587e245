import TesseraCryptography
import TesseraPassport
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraVirtualChip

@Suite("Faults of the virtual chip")
struct FaultTests {
  static func terminal(_ name: String) throws -> TestTerminal {
    try TestTerminal(try #require(ChipProfile(named: "fault-\(name)")))
  }

  /// A terminal after PACE and the selection of the application.
  static func opened(_ name: String) throws -> TestTerminal {
    var terminal = try terminal(name)
    #expect(try terminal.pace(try #require(terminal.chip.profile.pace.first)) == "9000")
    _ = try terminal.selectApplication()
    return terminal
  }

  @Test("a clone does not have the private keys of its public keys")
  func clone() throws {
    var terminal = try Self.opened("clone")
    let key = try PublicKey(
      subjectPublicKeyInfo: Array(BERTLV.value(of: 0x6F, in: terminal.read(15)[...])))
    let challenge = [UInt8](repeating: 3, count: 8)
    let signature = try terminal.send([0x00, 0x88, 0, 0], challenge, 256)
    #expect(try signature.status == "9000" && !key.verify(signature.data, over: challenge, .plainECDSA(.sha256)))
    let offer = try #require(terminal.chip.profile.chipAuthentication.first)
    #expect(try terminal.authenticateChip(offer) != nil)
    #expect(try terminal.send([0x00, 0xB0, 0x81, 0], [], 100).status == "6988", "the new keys differ")
    var mapped = try Self.terminal("clone-cam")
    #expect(try mapped.pace(try #require(mapped.chip.profile.pace.first)) == "clone")
  }

  @Test("the signature of Active Authentication does not cover the challenge")
  func signature() throws {
    var terminal = try Self.opened("signature")
    let challenge = [UInt8](repeating: 3, count: 8)
    let signature = try terminal.send([0x00, 0x88, 0, 0], challenge, 1024).data
    let key = try SpecimenKeys.rsa(bits: 2048)
    let message = try ModularArithmetic(BigNumber(key.modulus)).power(BigNumber(signature), BigNumber(65_537))
      .bytes(count: 256)
    #expect(message.first == 0x6A && message.suffix(2).elementsEqual([0x34, 0xCC]))
    let random = Array(message[1..<222])
    #expect(try HashAlgorithm.sha256.digest(of: random + challenge) != Array(message[222..<254]))
  }

  @Test("sends a wrong token, and weaker parameters than DG14")
  func token() throws {
    var terminal = try Self.terminal("token")
    #expect(try terminal.pace(try #require(terminal.chip.profile.pace.first)) == "wrong token")
    terminal = try Self.opened("parameters")
    let signed = try SecurityInfos(BERTLV.value(of: 0x6E, in: terminal.read(14)[...]))
    #expect(signed.protocols == ["0.4.0.127.0.7.2.2.4.2.4"])
  }

  @Test("sends invalid public keys", arguments: ["point", "infinity", "zero"])
  func points(_ name: String) throws {
    var terminal = try Self.terminal(name)
    #expect(throws: CryptographyError.self) { try terminal.pace(try #require(terminal.chip.profile.pace.first)) }
  }

  @Test("returns the terminal's own keys", arguments: [("echo", 1), ("echo-agreement", 2)])
  func echoes(_ name: String, _ index: Int) throws {
    let vector = try #require(CardPACETests.recorded.first)
    var profile = try #require(ChipProfile(named: "fault-\(name)"))
    profile.requiresBasicAccessControl = false
    var files = ChipFiles([:])
    files[.dg1] = DataGroup1(zone: try CardPACETests.zone(vector)).encoded
    var chip = try Chip(profile: profile, files: files)
    _ = chip.process(try CardPACETests.choice(vector))
    let steps = CardPACETests.steps(vector).map { $0["command"].bytes }
    for step in steps[..<index] { _ = chip.process(step) }
    let answer = chip.process(steps[index])
    #expect(answer.dropLast(2).suffix(65) == steps[index].dropLast().suffix(65) && answer.hexadecimal.hasSuffix("9000"))
  }

  @Test("has wrong length fields, endless files and responses that are too long")
  func files() throws {
    var terminal = try Self.opened("length")
    let real = try #require(terminal.chip.files[.dg2])
    let short = try terminal.read(2, block: 2000)
    let header = try BERTLV.header(of: short[...])
    #expect(short.count < header.totalLength)
    #expect(try header.length == BERTLV.header(of: real[...]).length + 1000)

    terminal = try Self.opened("endless")
    let first = try terminal.send([0x00, 0xB0, 0x82, 0], [], 256)
    #expect(try BERTLV.header(of: first.data[...]).length == 0x7FFF_FFFF)
    let offset = BERTLV.encode(0x54, [0x7F, 0xFF, 0x00, 0x00])
    let far = try terminal.send([0x00, 0xB1, 0, 0], offset, 256)
    #expect(far.status == "9000" && far.data.count > 200)

    terminal = try Self.terminal("long-answers")
    _ = try terminal.selectApplication()
    #expect(try terminal.basicAccess() == "9000")
    #expect(try terminal.send([0x00, 0xB0, 0x82, 0], [], 100).data.count == 200)
  }

  @Test("announces extended length and refuses it")
  func extended() throws {
    var terminal = try Self.opened("extended")
    #expect(terminal.chip.answerToReset.announcesExtendedLength)
    #expect(try terminal.send([0x00, 0xB0, 0x82, 0], [], 1000).status == "6700")
  }

  @Test("a card that was removed and replaced has lost its session, and is removed only once")
  func disappearance() async throws {
    var profile = try #require(ChipProfile(named: "fault-lost"))
    profile.fault = .disappearance(exchange: 1, absence: .milliseconds(50))
    let card = VirtualCard.card(try Chip(profile: profile, files: SpecimenDocument(profile: profile).files))
    let select: [UInt8] = [0x00, 0xA4, 0x04, 0x0C, 0x07] + ElementaryFile.application
    #expect(try await card.channel.transmit(select) == [0x90, 0x00])
    for _ in 0..<2 {
      await #expect(throws: CardError.cardRemoved) { try await card.channel.transmit(select) }
    }
    // The card was replaced, and the reader has not detected it yet.
    try await Task.sleep(for: .milliseconds(60))
    await #expect(throws: CardError.cardRemoved) { try await card.channel.transmit(select) }
    try await card.channel.awaitReturn(within: .seconds(60))
    #expect(try await card.channel.transmit([0x00, 0x84, 0, 0, 8]) == [0x6D, 0x00], "no application is selected")
    for _ in 0..<5 { #expect(try await card.channel.transmit(select) == [0x90, 0x00]) }
  }

  @Test("a slow chip delays its responses")
  func slow() async throws {
    let profile = try #require(ChipProfile(named: "fault-slow"))
    let card = VirtualCard.card(try Chip(profile: profile, files: SpecimenDocument(profile: profile).files))
    let duration = try await ContinuousClock().measure { _ = try await card.channel.transmit([0, 0x84, 0, 0, 8]) }
    #expect(duration >= .milliseconds(100))
  }
}
