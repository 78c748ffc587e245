import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraFleet
@testable import TesseraPassport

@Suite("Chip Authentication with an inspector's key, against recorded documents")
struct ChipAuthenticationWitnessTests {
  static let vectors = Fixtures.vectors("Passport/PassportTests", "chip-auth.json")
  static let recorded = vectors.filter { $0["real_document"].flag }

  static func dump(_ vector: Vector) -> DocumentDump { DocumentDump(files: [(.dg14, vector["DG14"].bytes)]) }

  static func witness(_ vector: Vector) throws -> ChipAuthenticationWitness {
    try #require(try ChipAuthenticationWitness(for: dump(vector), privateKey: SecretBytes(vector["SK_IFD"].bytes)))
  }

  @Test(
    "the agreement has the recorded public key, and the recorded first command under the new keys",
    arguments: recorded)
  func agreement(_ vector: Vector) throws {
    let agreement = try Self.witness(vector).agreement
    #expect(agreement.publicKey.hexadecimal == vector["PK_IFD"].text)
    #expect(agreement.keyIdentifier == nil)
    let cipher = vector.id == "ca-ecdh-3des-my" ? 1 : 2
    #expect(agreement.protocolIdentifier == "0.4.0.127.0.7.2.2.3.2.\(cipher)")
    let first = try #require(vector["exchanges"].list.first { $0["keys"].text == "new session keys" })
    #expect(agreement.confirmation.hexadecimal == first["protected_command"].text)
  }

  @Test("the recorded response proves the chip, and no other one does", arguments: recorded)
  func evidence(_ vector: Vector) throws {
    let witness = try Self.witness(vector)
    let offer = try #require(Self.dump(vector).content.chipAuthentication)
    let first = try #require(vector["exchanges"].list.first { $0["keys"].text == "new session keys" })
    func finding(_ answer: WitnessedAnswer?) -> ChipAuthenticationEvidence.Finding? {
      witness.evidence(for: answer)?.evaluate(offer)
    }
    var response = first["protected_response"].bytes
    #expect(finding(WitnessedAnswer(response: response)) == .proven)
    response[response.count - 3] ^= 1
    #expect(finding(WitnessedAnswer(response: response)) == .wrongKeys)
    #expect(finding(WitnessedAnswer(response: [0x69, 0x88])) == .wrongKeys)
    #expect(finding(WitnessedAnswer(response: [])) == .wrongKeys)
    #expect(finding(WitnessedAnswer()) == .noResponse)
    #expect(finding(nil) == nil)
    #expect(finding(WitnessedAnswer(refusal: StatusWord(0x6A80))) == .refused(StatusWord(0x6A80)))
    // A refusal counts even with a response, and is not excused by the status that means that nothing was sent.
    #expect(
      finding(WitnessedAnswer(refusal: StatusWord(0x6A80), response: first["protected_response"].bytes))
        == .refused(StatusWord(0x6A80)))
    #expect(finding(WitnessedAnswer(refusal: StatusWord.none)) == .noResponse)
  }

  @Test("each agreement has another key")
  func ephemeral() throws {
    let dump = Self.dump(try #require(Self.recorded.first))
    let first = try #require(try ChipAuthenticationWitness(for: dump)).agreement
    let second = try #require(try ChipAuthenticationWitness(for: dump)).agreement
    #expect(first.publicKey != second.publicKey && first.confirmation != second.confirmation)
  }

  @Test("a session without the new keys sends the recorded commands, and then ends")
  func session() async throws {
    let vector = try #require(Self.recorded.first { $0.id == "ca-ecdh-aes128-at" })
    let channel = RecordedChannel(
      vector["exchanges"].list.map {
        RecordedChannel.Exchange(command: $0["protected_command"].bytes, response: $0["protected_response"].bytes)
      })
    let session = ChipSession(channel: channel)
    let before = vector["before"]
    let keys = SessionKeys(
      cipher: before["cipher"].text == "3DES" ? .tripleDES : .aes128,
      encryption: SecretBytes(before["KS_enc"].bytes), authentication: SecretBytes(before["KS_mac"].bytes))
    session.begin(try keys.secureMessaging(counter: before["SSC"].bytes))
    let agreement = try Self.witness(vector).agreement
    let commands = ChipAuthenticationCommands(
      session: session, chipAuthentication: try #require(ChipAuthenticationProtocol(agreement.protocolIdentifier)),
      keyIdentifier: nil, isAmbiguous: false)
    try await commands.send(agreement.publicKey)
    let response = try await session.finish(with: agreement.confirmation)
    #expect(response == vector["exchanges"].list.last?["protected_response"].bytes)
    #expect(await channel.isDone)
    #expect(session.statistics.exchanges == 3 && !session.isOpen)
    await #expect(throws: PassportError.self) { try await session.transceive(.selectMasterFile) }
    await #expect(throws: PassportError.self) { try await session.finish(with: agreement.confirmation) }
  }

  @Test("a document without a usable offer has nothing to agree on")
  func nothing() throws {
    #expect(try ChipAuthenticationWitness(for: DocumentDump()) == nil)
    let cases = try #require(Self.vectors.last?["cases"].list)
    // PACE only; and a protocol without a key.
    #expect(try ChipAuthenticationWitness(for: Self.dump(cases[2])) == nil)
    let keyless = BERTLV.encode(0x6E, cases[0]["security_infos"].bytes)
    #expect(try ChipAuthenticationWitness(for: DocumentDump(files: [(.dg14, keyless)])) == nil)
  }

  @Test("a key of small order gets no agreement, and the chip is said to withhold the proof")
  func smallOrder() throws {
    // p = 2^1024 + 643, where 7 divides p - 1; 2^((p - 1)/7) has the order 7.
    let prime = [1] + [UInt8](repeating: 0, count: 126) + [0x02, 0x83]
    let group = try ModularGroup(prime: prime, generator: [2])
    let exponent = try #require([UInt8](hexadecimal: String(repeating: "249", count: 84) + "24ee"))
    let small = try group.multiply(group.generator, by: SecretBytes(exponent))
    func integer(_ number: [UInt8]) -> [UInt8] {
      let digits = Array(number.drop { $0 == 0 })
      return BERTLV.encode(0x02, (digits.first.map { $0 >= 0x80 } ?? false ? [0] : []) + digits)
    }
    let algorithm = BERTLV.encode(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x03, 0x01])
    let parameters = BERTLV.encode(0x30, integer(prime) + integer([2]))
    let key = BERTLV.encode(
      0x30, BERTLV.encode(0x30, algorithm + parameters) + BERTLV.encode(0x03, [0] + integer(small)))
    let entries =
      SecurityInfoBytes.entry("04007F000702020101", key)
      + SecurityInfoBytes.entry("04007F00070202030102", SecurityInfoBytes.number(1))
    let file = BERTLV.encode(0x6E, BERTLV.encode(0x31, entries))
    let dump = DocumentDump(
      witnessed: [(.dg14, file)], deskEvidence: ChipEvidence(), challenge: [1, 2, 3, 4, 5, 6, 7, 8], omissions: [])
    #expect(dump.content.chipAuthentication != nil && dump.evidence.withholdsChipAuthentication)
    #expect(try ChipAuthenticationWitness(for: dump, privateKey: SecretBytes([7])) == nil)
    #expect(try ChipAuthenticationWitness(for: dump, privateKey: SecretBytes([8])) != nil)
  }
}
