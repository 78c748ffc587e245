import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("Chip Authentication against published vectors and recorded documents")
struct ChipAuthenticationTests {
  static let vectors = Fixtures.vectors("Passport/PassportTests", "chip-auth.json")
  static let second = vectors.filter { $0["r"].isPresent }
  static let recorded = vectors.filter { $0["real_document"].flag }

  static func infos(_ vector: Vector) throws -> SecurityInfos { try DataGroup14(vector["DG14"].bytes).securityInfos }

  static func keys(_ vector: Vector) -> SessionKeys {
    SessionKeys(
      cipher: vector["cipher"].text == "3DES" ? .tripleDES : .aes128,
      encryption: SecretBytes(vector["KS_enc"].bytes), authentication: SecretBytes(vector["KS_mac"].bytes))
  }

  @Test("the fixture has every vector")
  func counts() {
    #expect(Self.vectors.count == 5)
    #expect(Self.second.count == 2 && Self.recorded.count == 2)
    #expect(Self.vectors.last?["cases"].list.count == 4)
  }

  @Test("the key agreement of the EAC worked examples, with keys and token", arguments: second)
  func secondVersion(_ vector: Vector) throws {
    let isElliptic = vector["curve"].isPresent
    let group = try StandardizedDomainParameters.group(isElliptic ? 13 : 0)
    let reader = SecretBytes(vector["SK_IFD"].bytes)
    let chip = SecretBytes(vector["SK_IC"].bytes)
    #expect(try group.multiply(group.generator, by: reader).hexadecimal == vector["PK_IFD"].text)
    #expect(try group.multiply(group.generator, by: chip).hexadecimal == vector["PK_IC"].text)
    let secret = try group.sharedSecret(privateKey: reader, with: vector["PK_IC"].bytes)
    #expect(secret.hexadecimal == vector["K"].text)
    #expect(try group.sharedSecret(privateKey: chip, with: vector["PK_IFD"].bytes) == secret)
    // Version 2 hashes a nonce between the secret and the counter.
    let keys = try SessionKeys(
      cipher: .aes128, sharedSecret: secret.joined(after: [], before: vector["r"].bytes))
    #expect(keys.encryption.hexadecimal == vector["KS_enc"].text)
    #expect(keys.authentication.hexadecimal == vector["KS_mac"].text)
    #expect(try keys.token(over: vector["token_input"].bytes).hexadecimal == vector["T_IC"].text)
    let known = try #require(ChipAuthenticationProtocol("0.4.0.127.0.7.2.2.3.\(isElliptic ? 2 : 1).2"))
    #expect(ObjectIdentifierBytes.encode(known.identifier).hexadecimal == vector["oid_value"].text)
    let token = BERTLV.encode(
      0x7F49,
      BERTLV.encode(0x06, vector["oid_value"].bytes)
        + BERTLV.encode(isElliptic ? 0x86 : 0x84, group.unsigned(vector["PK_IFD"].bytes)))
    #expect(token.hexadecimal == vector["token_input"].text)
  }

  @Test("DG14 of recorded documents, entry by entry", arguments: recorded)
  func groups(_ vector: Vector) throws {
    let infos = try Self.infos(vector)
    let entries = vector["security_infos"].list
    #expect(infos.protocols == entries.map { $0["oid"].text })
    #expect(infos.problems.isEmpty)
    let offer = try #require(try ChipAuthentication.strongest(of: infos))
    #expect(offer.key.element.hexadecimal == vector["PK_IC"].text)
    #expect(offer.key.group.name == "brainpoolP256r1")
    #expect(entries.contains { $0["subject_public_key"].text == offer.key.element.hexadecimal })
    #expect(!offer.isAssumed && !offer.isAmbiguous && offer.keyIdentifier == nil)
  }

  @Test("recorded documents: the agreement, the new keys, and every command with both keys", arguments: recorded)
  func session(_ vector: Vector) throws {
    let offer = try #require(try ChipAuthentication.strongest(of: Self.infos(vector)))
    let reader = SecretBytes(vector["SK_IFD"].bytes)
    let group = offer.key.group
    #expect(try group.multiply(group.generator, by: reader).hexadecimal == vector["PK_IFD"].text)
    #expect(try group.sharedSecret(privateKey: reader, with: offer.key.element).hexadecimal == vector["K"].text)
    let keys = try offer.keys(privateKey: reader)
    #expect(keys.encryption.hexadecimal == vector["after"]["KS_enc"].text)
    #expect(keys.authentication.hexadecimal == vector["after"]["KS_mac"].text)
    let exchanges = vector["exchanges"].list
    #expect(exchanges.count == 3)
    for exchange in exchanges {
      let isNew = exchange["keys"].text == "new session keys"
      let keys = isNew ? keys : Self.keys(vector["before"])
      var session = try keys.secureMessaging(counter: exchange["SSC_before"].bytes)
      let protected = try session.protect(CommandAPDU(fixture: exchange["command"].bytes))
      #expect(try protected.encoded().hexadecimal == exchange["protected_command"].text)
      let answer = try session.unprotect(ResponseAPDU(exchange["protected_response"].bytes))
      #expect(answer.data.hexadecimal == exchange["response_data"].text)
      #expect("\(answer.status)" == exchange["SW"].text)
    }
  }

  @Test("the driver sends the recorded commands, and its evidence can be verified again")
  func driver() async throws {
    let vector = try #require(Self.recorded.first { $0.id == "ca-ecdh-aes128-at" })
    let exchanges = vector["exchanges"].list.map {
      RecordedChannel.Exchange(command: $0["protected_command"].bytes, response: $0["protected_response"].bytes)
    }
    let channel = RecordedChannel(exchanges)
    let session = ChipSession(channel: channel)
    session.begin(try Self.keys(vector["before"]).secureMessaging(counter: vector["before"]["SSC"].bytes))
    let offer = try #require(try ChipAuthentication.strongest(of: Self.infos(vector)))
    let driver = ChipAuthenticationDriver(
      session: session, chipAuthentication: offer, privateKey: SecretBytes(vector["SK_IFD"].bytes))
    let outcome = try await driver.run()
    #expect(outcome.readerKey.hexadecimal == vector["PK_IFD"].text)
    #expect(session.firstAnswer == nil)
    let last = try await session.transceive(CommandAPDU(fixture: vector["exchanges"].list[2]["command"].bytes))
    #expect(last.status == .success)
    #expect(await channel.isDone)

    var evidence = ChipAuthenticationEvidence(
      protocolIdentifier: offer.chipAuthentication.identifier, keyIdentifier: nil,
      readerPrivateKey: outcome.privateKey)
    #expect(evidence.evaluate(offer) == .noResponse)
    evidence.firstAnswer = session.firstAnswer
    #expect(evidence.evaluate(offer) == .proven)
    evidence.firstAnswer?[6] ^= 1
    #expect(evidence.evaluate(offer) == .wrongKeys)
    evidence.firstAnswer = [0x69, 0x88]
    #expect(evidence.evaluate(offer) == .wrongKeys)
  }

  @Test("chooses among the offers")
  func parameters() throws {
    let cases = try #require(Self.vectors.last?["cases"].list)
    let first = try SecurityInfos(cases[0]["security_infos"].bytes).chipAuthentication
    #expect(first.count == 1 && first[0].keyIdentifier == nil && first[0].version == 1)
    #expect(first[0].chipAuthentication == ChipAuthenticationProtocol(agreement: .ecdh, cipher: .aes128))
    #expect(try SecurityInfos(cases[1]["security_infos"].bytes).chipAuthentication.first?.keyIdentifier == 195)
    let paceOnly = try DataGroup14(cases[2]["DG14"].bytes).securityInfos
    #expect(try ChipAuthentication.strongest(of: paceOnly) == nil)
    let unknown = try SecurityInfos(cases[3]["security_infos"].bytes)
    #expect(throws: ChipAuthenticationProblem.notUsable("The protocol 0.4.0.127.0.7.2.2.3.2.0 is not defined.")) {
      try ChipAuthentication.strongest(of: unknown)
    }
    // A protocol without a key, and one with a key of another number.
    #expect(throws: ChipAuthenticationProblem.keyMissing(nil)) {
      try ChipAuthentication.strongest(of: SecurityInfos(cases[0]["security_infos"].bytes))
    }
  }

  @Test("chooses keys by their numbers; a document without a protocol means 3DES")
  func numbers() throws {
    let vector = PACEVectors.vector("pace-cam-icao-i1")
    let key = vector["ChipAuthenticationPublicKeyInfo"].bytes
    var other = key
    let point = vector["PK_map_IC"].bytes
    other.replaceSubrange(other.count - 3 - point.count..<other.count - 3, with: point)
    other[other.count - 1] = 2
    func info(_ cipher: UInt8, _ number: UInt8?) -> [UInt8] {
      SecurityInfoBytes.entry(
        "04007F00070202030" + "2" + [cipher].hexadecimal,
        SecurityInfoBytes.number(1) + (number.map { SecurityInfoBytes.number($0) } ?? []))
    }
    func strongest(_ entries: [UInt8]...) throws -> ChipAuthentication? {
      try ChipAuthentication.strongest(of: SecurityInfos(BERTLV.encode(0x31, entries.flatMap { $0 })))
    }
    let chosen = try #require(try strongest(key, other, info(1, 2), info(2, 13)))
    #expect(chosen.keyIdentifier == 13 && chosen.isAmbiguous && chosen.chipAuthentication.cipher == .aes128)
    let second = try #require(try strongest(key, other, info(4, 2), info(2, 13)))
    #expect(second.keyIdentifier == 2 && second.key.element == point)
    // A protocol without a number and the only key with a number belong together.
    #expect(try strongest(key, info(2, nil))?.keyIdentifier == 13)
    #expect(throws: ChipAuthenticationProblem.keyMissing(nil)) { try strongest(key, other, info(2, nil)) }
    #expect(throws: ChipAuthenticationProblem.keyMissing(7)) { try strongest(key, other, info(2, 7)) }
    let assumed = try #require(try strongest(key))
    #expect(assumed.isAssumed && assumed.chipAuthentication.cipher == .tripleDES)
    other[other.count - 1] = 13
    #expect(throws: ChipAuthenticationProblem.keyAmbiguous(13)) { try strongest(key, other, info(2, 13)) }
  }

  /// One key with the number 13, and the protocol for it.
  static func numberedOffer(_ cipher: UInt8) throws -> ChipAuthentication {
    let info = SecurityInfoBytes.entry(
      "04007F000702020302" + [cipher].hexadecimal, SecurityInfoBytes.number(1) + SecurityInfoBytes.number(13))
    let key = PACEVectors.vector("pace-cam-icao-i1")["ChipAuthenticationPublicKeyInfo"].bytes
    return try #require(try ChipAuthentication.strongest(of: SecurityInfosTests.infos(key, info)))
  }

  @Test(
    "names the key if a chip with one key requires its number", arguments: [UInt16(0x6A80), 0x6A88], [UInt8(1), 2])
  func reference(_ status: UInt16, _ cipher: UInt8) async throws {
    let offer = try Self.numberedOffer(cipher)
    #expect(!offer.isAmbiguous && offer.keyIdentifier == 13)
    let privateKey = SecretBytes([7])
    let readerKey = try offer.key.group.multiply(offer.key.group.generator, by: privateKey)
    // 3DES by MSE:Set KAT with the key, the others by MSE:Set AT with the protocol.
    let data =
      cipher == 1
      ? BERTLV.encode(0x91, readerKey)
      : BERTLV.encode(0x80, ObjectIdentifierBytes.encode(offer.chipAuthentication.identifier))
    func selection(_ reference: [UInt8]) throws -> [UInt8] {
      try CommandAPDU(ins: 0x22, p1: 0x41, p2: cipher == 1 ? 0xA6 : 0xA4, data: data + reference).encoded()
    }
    let authenticate = try CommandAPDU(
      ins: 0x86, p1: 0, p2: 0, data: BERTLV.encode(0x7C, BERTLV.encode(0x80, readerKey)), expectedLength: 256
    ).encoded()
    let refusal = [UInt8(status >> 8), UInt8(status & 0xFF)]
    var exchanges = try [
      RecordedChannel.Exchange(command: selection([]), response: refusal),
      RecordedChannel.Exchange(command: selection([0x84, 1, 13]), response: [0x90, 0x00]),
    ]
    if cipher == 2 { exchanges.append(.init(command: authenticate, response: [0x7C, 0x00, 0x90, 0x00])) }
    let channel = RecordedChannel(exchanges)
    let driver = ChipAuthenticationDriver(
      session: ChipSession(channel: channel), chipAuthentication: offer, privateKey: privateKey)
    #expect(try await driver.run().readerKey == readerKey)
    #expect(await channel.isDone)
  }

  @Test("does not retry if a chip also refuses the number")
  func refusedReference() async throws {
    let offer = try Self.numberedOffer(2)
    let listener = TerminalAuthenticationTests.Listener(refusing: 0x22, with: [0x6A, 0x88])
    let driver = ChipAuthenticationDriver(session: ChipSession(channel: listener), chipAuthentication: offer)
    await #expect(throws: PassportError.unexpectedStatus(operation: "MSE:Set AT", .referencedDataNotFound)) {
      try await driver.run()
    }
    #expect(await listener.commands.count == 2)
  }

  @Test("detects a key or generator of small order before sending a command")
  func smallOrder() async throws {
    // p = 2^1024 + 643, where 7 divides p - 1; 2^((p - 1)/7) has the order 7.
    let prime = [1] + [UInt8](repeating: 0, count: 126) + [0x02, 0x83]
    let group = try ModularGroup(prime: prime, generator: [2])
    let exponent = try #require([UInt8](hexadecimal: String(repeating: "249", count: 84) + "24ee"))
    let small = try group.multiply(group.generator, by: SecretBytes(exponent))
    func integer(_ number: [UInt8]) -> [UInt8] {
      let digits = Array(number.drop { $0 == 0 })
      return BERTLV.encode(0x02, (digits.first.map { $0 >= 0x80 } ?? false ? [0] : []) + digits)
    }
    for (generator, element) in [([2], small), (small, [4])] as [([UInt8], [UInt8])] {
      // PKCS #3 has no order, so membership of the key in the group cannot be checked.
      let algorithm = BERTLV.encode(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x03, 0x01])
      let parameters = BERTLV.encode(0x30, integer(prime) + integer(generator))
      let key = BERTLV.encode(
        0x30, BERTLV.encode(0x30, algorithm + parameters) + BERTLV.encode(0x03, [0] + integer(element)))
      let infos = try SecurityInfosTests.infos(
        SecurityInfoBytes.entry("04007F000702020101", key),
        SecurityInfoBytes.entry("04007F00070202030102", SecurityInfoBytes.number(1)))
      let offer = try #require(try ChipAuthentication.strongest(of: infos))
      let listener = TerminalAuthenticationTests.Listener()
      let driver = ChipAuthenticationDriver(
        session: ChipSession(channel: listener), chipAuthentication: offer, privateKey: SecretBytes([7]))
      await #expect(
        throws: PassportError.unexpectedStatus(operation: "Chip Authentication with a key of small order", .none)
      ) { try await driver.run() }
      #expect(await listener.commands.isEmpty)
    }
  }

  @Test("validates at most eight keys of the chip")
  func manyKeys() throws {
    let key = PACEVectors.vector("pace-cam-icao-i1")["ChipAuthenticationPublicKeyInfo"].bytes
    let info = SecurityInfoBytes.entry(
      "04007F00070202030202", SecurityInfoBytes.number(1) + SecurityInfoBytes.number(13))
    func strongest(_ count: UInt8) throws -> ChipAuthentication? {
      // Keys on invalid curves, listed before the valid one.
      let bad = (0..<count).flatMap { number in
        var entry = key
        entry[entry.count - 4] = number
        entry[entry.count - 1] = number + 20
        return entry
          + SecurityInfoBytes.entry(
            "04007F00070202030202", SecurityInfoBytes.number(1) + SecurityInfoBytes.number(number + 20))
      }
      return try ChipAuthentication.strongest(of: SecurityInfos(BERTLV.encode(0x31, bad + key + info)))
    }
    #expect(try strongest(7)?.keyIdentifier == 13)
    #expect(throws: ChipAuthenticationProblem.self) { try strongest(8) }
  }
}
