import TesseraCryptography
import TesseraPassport
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraVirtualChip

@Suite("The card's PACE against published vectors")
struct CardPACETests {
  static func vectors(_ file: String) -> [Vector] { Fixtures.vectors("Passport/VirtualChipTests", "\(file).json") }

  static let all = ["pace-gm-ecdh", "pace-gm-dh", "pace-im-ecdh", "pace-im-dh", "pace-cam"].flatMap(vectors)
  static let whole = all.filter { $0["oid_value"].isPresent }
  static let recorded = whole.filter { $0["apdus"].isPresent && $0["SK_IC"].isPresent }

  @Test("the fixtures contain every vector")
  func counts() {
    #expect(Self.all.count == 9 && Self.whole.count == 7 && Self.recorded.count == 4)
  }

  static func offer(_ vector: Vector) throws -> PACEOffer {
    let identifier = vector["oid_value"].bytes
    let arc = try #require(identifier.dropLast().last)
    let mapping: PACEOffer.Mapping = arc == 6 ? .chipAuthentication : arc >= 3 ? .integrated : .generic
    let offer = PACEOffer(mapping, .aes128, AgreementParameters(vector["parameter_id"].number))
    #expect(offer.objectIdentifier == identifier)
    return offer
  }

  /// The nonce `s`, checked against the encrypted nonce `z`.
  static func nonce(_ vector: Vector) throws -> [UInt8] {
    let key = SecretBytes(vector["K_pi"].bytes)
    let nonce = vector["s"].bytes
    #expect(try CardCipher.encrypt(nonce, key: key, .aes128).hexadecimal == vector["z"].text)
    return nonce
  }

  @Test("computes every intermediate value from the card's private keys", arguments: whole)
  func values(_ vector: Vector) throws {
    let offer = try Self.offer(vector)
    let group = try offer.parameters.group()
    let nonce = try Self.nonce(vector)
    if vector["p"].isPresent, let modular = group as? TesseraVirtualChip.ModularGroup {
      #expect(modular.prime == vector["p"].bytes && modular.order == vector["q"].bytes)
      #expect(modular.generator == vector["g"].bytes)
    }
    let generator: [UInt8]
    if offer.mapping == .integrated {
      let stream = try CardPACEMapping.pseudoRandom(
        cipher: .aes128, nonce: nonce, terminalNonce: vector["t"].bytes, bits: group.fieldBits + 64)
      #expect(stream.bytes.hexadecimal == vector["R"].text)
      #expect(stream.keys.map(\.hexadecimal) == vector["PRF_keys"].list.map(\.text))
      generator = try group.element(of: stream.bytes)
    } else {
      let exponent = vector["SK_map_IC"].bytes
      #expect(try group.publicKey(of: exponent).hexadecimal == vector["PK_map_IC"].text)
      #expect(try group.publicKey(of: vector["SK_map_IFD"].bytes).hexadecimal == vector["PK_map_IFD"].text)
      let shared = try group.raise(vector["PK_map_IFD"].bytes, to: exponent)
      #expect(shared.hexadecimal == vector["H"].text)
      generator = try CardPACEMapping.generic(group, nonce: nonce, shared: shared)
    }
    #expect(generator.hexadecimal == vector["G_mapped"].text)
    #expect(try group.raise(generator, to: vector["SK_IFD"].bytes).hexadecimal == vector["PK_IFD"].text)
    // The card's private key of the CAM example is not published: the terminal's gives the same secret.
    let (exponent, peer) =
      vector["SK_IC"].isPresent
      ? (vector["SK_IC"].bytes, vector["PK_IFD"].bytes) : (vector["SK_IFD"].bytes, vector["PK_IC"].bytes)
    if vector["SK_IC"].isPresent {
      #expect(try group.raise(generator, to: exponent).hexadecimal == vector["PK_IC"].text)
    }
    let secret = group.secret(of: try group.raise(peer, to: exponent))
    #expect(secret == SecretBytes(vector["K"].bytes))
    let encryption = try KeyDerivation.derive(secret, .encryption, for: .aes128)
    let authentication = try KeyDerivation.derive(secret, .authentication, for: .aes128)
    #expect(encryption == SecretBytes(vector["KS_enc"].bytes))
    #expect(authentication == SecretBytes(vector["KS_mac"].bytes))
    for (name, key) in [("T_IFD", "PK_IC"), ("T_IC", "PK_IFD")] {
      let input = CardPACE.tokenInput(offer.objectIdentifier, vector[key].bytes, group.kind)
      #expect(input.hexadecimal == vector["\(name)_input"].text)
      #expect(try CardCipher.mac(input, key: authentication, .aes128).hexadecimal == vector[name].text)
    }
  }

  @Test("derives the password keys of the examples", arguments: whole)
  func passwords(_ vector: Vector) throws {
    let number = vector["can"].isPresent ? vector["can"] : vector["password"]
    let passwords = try CardPasswords(
      mrz: vector["document_number"].isPresent ? Self.zone(vector) : nil, cardAccessNumber: number.text)
    let password = vector["document_number"].isPresent ? CardPassword.mrz : .can
    #expect(try passwords.key(password, for: .aes128) == SecretBytes(vector["K_pi"].bytes))
  }

  static func zone(_ vector: Vector) throws -> MachineReadableZone {
    var content = SpecimenDocument.content
    content.documentNumber = vector["document_number"].text
    content.dateOfBirth = vector["date_of_birth"].text
    content.dateOfExpiry = vector["date_of_expiry"].text
    let zone = try MachineReadableZone(content, format: .td3)
    #expect(CardPasswords.information(zone) == vector["mrz_information"].text)
    return zone
  }

  /// A chip with the random values of the vector.
  static func chip(_ vector: Vector) throws -> Chip {
    var profile = ChipProfile(name: "vector", summary: "", requiresBasicAccessControl: false, responseLimit: 256)
    profile.pace = [try offer(vector)]
    var files = ChipFiles([:])
    if vector["document_number"].isPresent { files[.dg1] = DataGroup1(zone: try zone(vector)).encoded }
    profile.cardAccessNumber = vector["can"].isPresent ? vector["can"].text : nil
    var chip = try Chip(profile: profile, files: files)
    chip.ephemerals = .init(
      nonce: vector["s"].bytes, mapping: vector["SK_map_IC"].bytes, agreement: vector["SK_IC"].bytes)
    return chip
  }

  static func choice(_ vector: Vector) throws -> [UInt8] {
    let command = vector["apdus"].list.first { $0["name"].text.hasPrefix("MSE") }
    if let command { return command["command"].bytes }
    return [0x00, 0x22, 0xC1, 0xA4, 0x0F, 0x80, 0x0A] + vector["oid_value"].bytes + [0x83, 0x01, 0x02]
  }

  static func steps(_ vector: Vector) -> [Vector] { vector["apdus"].list.filter { $0["name"].text.hasPrefix("step") } }

  @Test("the chip returns the published responses to the published commands", arguments: recorded)
  func conversation(_ vector: Vector) throws {
    var chip = try Self.chip(vector)
    #expect(chip.process(try Self.choice(vector)).hexadecimal == "9000")
    #expect(Self.steps(vector).count == 4)
    for step in Self.steps(vector) {
      let answer = chip.process(step["command"].bytes).hexadecimal
      let name = step["name"].text
      if vector.id == "pace-gm-dh-icao-g2", name == "step 4" {
        // The example's response also contains an authority reference, and omits the status word.
        #expect(answer == "7C0A8608" + vector["T_IC"].text + "9000")
        #expect(step["response"].text.hasPrefix("7C1B8608" + vector["T_IC"].text))
      } else if step["response"].isPresent {
        #expect(answer == step["response"].text, "\(name)")
      } else {
        #expect(name.hasPrefix("step 2") && answer == "7C0282009000")
      }
    }
    #expect(chip.state.session.messaging != nil && chip.state.session.password != nil)
  }

  @Test("the domain parameter reference is optional, and must be correct")
  func reference() throws {
    let vector = try #require(Self.recorded.first)
    var chip = try Self.chip(vector)
    let commands = vector["apdus"].list.filter { $0["name"].text.hasPrefix("MSE") }
    #expect(commands.count == 2)
    for command in commands { #expect(chip.process(command["command"].bytes).hexadecimal == "9000") }
    let wrong = try #require(commands.last)["command"].bytes.dropLast() + [0x0C]
    #expect(chip.process(Array(wrong)).hexadecimal == "6A80")
  }

  /// The next exponent whose element starts with a zero byte.
  static func leadingZero(
    _ group: any AgreementGroup, _ base: [UInt8], after exponent: [UInt8] = [0, 0]
  ) throws -> (exponent: [UInt8], key: [UInt8]) {
    let start = exponent.reduce(1) { $0 << 8 | Int($1) } & 0xFFFF
    for number in start + 1...start + 10_000 {
      let exponent = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
      let key = try group.raise(base, to: exponent)
      if key[0] == 0 { return (exponent, key) }
    }
    throw CryptographyError.malformed("no element of the group starts with a zero byte")
  }

  @Test(
    "numbers are sent and authenticated without leading zeros",
    arguments: [false, true])
  func leadingZeros(_ isTerminalPadding: Bool) throws {
    let offer = PACEOffer(.generic, .aes128, AgreementParameters(0))
    let group = try offer.parameters.group()
    let passwordKey = try KeyDerivation.derive(SecretBytes(Array("123456".utf8)), .password, for: .aes128)
    let nonce = [UInt8](repeating: 7, count: 16)
    // Both keys of the card and the terminal's second one start with a zero byte.
    let mapping = try Self.leadingZero(group, group.generator)
    let terminalMapping = try group.publicKey(of: [2])
    let generator = try CardPACEMapping.generic(
      group, nonce: nonce, shared: group.raise(terminalMapping, to: mapping.exponent))
    let agreement = try Self.leadingZero(group, generator)
    let (otherExponent, other) = try Self.leadingZero(group, generator, after: agreement.exponent)
    func short(_ key: [UInt8]) -> [UInt8] { Array(key.drop { $0 == 0 }) }

    var card = try CardPACE(
      offer: offer, passwordKey: passwordKey,
      ephemerals: .init(nonce: nonce, mapping: mapping.exponent, agreement: agreement.exponent))
    func object(_ tag: UInt32, _ value: [UInt8]) throws -> [BERTLV] {
      try BERTLV.sequence(BERTLV.encode(tag, value)[...])
    }
    _ = try card.answer([])
    #expect(try card.answer(object(0x81, terminalMapping)).objects == BERTLV.encode(0x82, short(mapping.key)))
    let sent = isTerminalPadding ? other : short(other)
    #expect(try card.answer(object(0x83, sent)).objects == BERTLV.encode(0x84, short(agreement.key)))
    let secret = group.secret(of: try group.raise(agreement.key, to: otherExponent))
    let key = try KeyDerivation.derive(secret, .authentication, for: .aes128)
    func token(_ publicKey: [UInt8]) throws -> [UInt8] {
      try CardCipher.mac(
        CardPACE.tokenInput(offer.objectIdentifier, short(publicKey), .modular), key: key, .aes128)
    }
    let (answer, outcome) = try card.answer(object(0x85, try token(agreement.key)))
    #expect(answer == BERTLV.encode(0x86, try token(other)))
    #expect(try outcome?.identifier == HashAlgorithm.sha1.digest(of: short(agreement.key)))
  }

  @Test(
    "generates EF.CardAccess of the examples",
    arguments: whole.filter { $0["EF_CardAccess"].isPresent && $0["PACEInfo"].isPresent })
  func cardAccess(_ vector: Vector) throws {
    var chip = try Self.chip(vector)
    let answer = chip.process([0x00, 0xB0, 0x9C, 0x00, 0x00])
    #expect(answer.hexadecimal == vector["EF_CardAccess"].text + "9000")
  }

  @Test("refuses invalid public keys of the terminal and a wrong token", arguments: recorded)
  func refusals(_ vector: Vector) throws {
    let steps = Self.steps(vector).map { $0["command"].bytes }
    for index in steps.indices.dropFirst() {
      var chip = try Self.chip(vector)
      _ = chip.process(try Self.choice(vector))
      for step in steps[..<index] { _ = chip.process(step) }
      var changed = steps[index]
      changed[changed.count - 2] ^= 0x01
      let answer = chip.process(changed).hexadecimal
      // Any nonce of the terminal is valid.
      let isNonce = index == 1 && vector["t"].isPresent
      #expect(isNonce ? answer.hasSuffix("9000") : answer == (index == 3 ? "6300" : "6A80"))
      if !isNonce { #expect(chip.process(steps[index]).hexadecimal == "6985", "the run has ended") }
    }
  }

  @Test("the first step requires an empty object")
  func firstStep() throws {
    let vector = try #require(Self.recorded.first)
    var chip = try Self.chip(vector)
    _ = chip.process(try Self.choice(vector))
    #expect(chip.process([0x10, 0x86, 0, 0, 5, 0x7C, 3, 0x80, 1, 0, 0]).hexadecimal == "6A80")
    #expect(chip.process([0x10, 0x86, 0, 0, 2, 0x7C, 0, 0]).hexadecimal == "6985")
  }

  @Test("Chip Authentication Mapping computes the data of the example")
  func chipAuthenticationMapping() throws {
    let vector = try #require(Self.vectors("pace-cam").first)
    let group = try AgreementParameters(13).group()
    let staticKey = vector["static_SK_IC_derived"].bytes
    #expect(try group.publicKey(of: staticKey).hexadecimal == vector["static_PK_IC"].text)
    let data = try CardPACE.chipAuthenticationData(
      mapping: vector["SK_map_IC"].bytes, staticKey: staticKey, order: group.order,
      key: SecretBytes(vector["KS_enc"].bytes))
    #expect(data.hexadecimal == vector["A_IC"].text)
    // The terminal checks CA_IC · PK = PK_map.
    #expect(try group.raise(vector["static_PK_IC"].bytes, to: vector["CA_IC"].bytes) == vector["PK_map_IC"].bytes)
    #expect(
      DERBytes.sequence(
        DERBytes.objectIdentifier([0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x01, 0x02]),
        try AgreementParameters(13).publicKeyInfo(vector["static_PK_IC"].bytes), DERBytes.integer(13)
      ).count == vector["ChipAuthenticationPublicKeyInfo"].bytes.count)
  }
}
