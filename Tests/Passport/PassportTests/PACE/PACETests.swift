import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport

/// The published worked examples with every printed value.
enum PACEVectors {
  static let files = ["pace-gm-ecdh", "pace-gm-dh", "pace-im-ecdh", "pace-im-dh", "pace-cam"]
  static let all = files.flatMap { Fixtures.vectors("Passport/PassportTests", "\($0).json") }
  static let worked = all.filter { $0["K"].isPresent }

  static func vector(_ id: String) -> Vector { all.first { $0.id == id } ?? .missing }

  static func core(_ vector: Vector) throws -> PACE {
    PACE(
      pace: try #require(PACEProtocol(vector["oid"].text)),
      group: try StandardizedDomainParameters.group(vector["parameter_id"].number))
  }

  static func key(_ vector: Vector) throws -> AccessKey {
    if vector["mrz_information"].isPresent {
      return .mrz(try MRZInformation(typed: vector["mrz_information"].text))
    }
    let digits = vector["can"].isPresent ? vector["can"].text : vector["password"].text
    return try AccessKey(cardAccessNumber: digits)
  }

  static func nonce(_ vector: Vector) throws -> SecretBytes {
    try core(vector).nonce(encrypted: vector["z"].bytes, passwordKey: SecretBytes(vector["K_pi"].bytes))
  }
}

extension SecretBytes {
  /// Test vectors are public.
  var hexadecimal: String { withUnsafeBytes { Array($0).hexadecimal } }
}

@Suite("PACE against the published worked examples")
struct PACETests {
  @Test("the fixtures have every vector")
  func counts() {
    #expect(PACEVectors.all.count == 9)
    #expect(PACEVectors.worked.count == 7)
    #expect(PACEVectors.vector("pace-gm-ecdh-negative")["cases"].list.count == 7)
    #expect(PACEVectors.vector("pace-cam-negative")["cases"].list.count == 5)
  }

  @Test("the object identifier and its meaning", arguments: PACEVectors.worked)
  func identifier(_ vector: Vector) throws {
    let pace = try PACEVectors.core(vector).pace
    #expect(pace.identifierBytes.hexadecimal == vector["oid_value"].text)
    #expect(pace.cipher == .aes128)
    let name = "id-PACE-\(pace.agreement.rawValue)-\(pace.mapping.rawValue)-AES-CBC-CMAC-128"
    if vector["name"].isPresent { #expect(name == vector["name"].text) }
    if vector["curve"].isPresent { #expect(try PACEVectors.core(vector).group.name == vector["curve"].text) }
  }

  @Test("the domain parameters of the numbers", arguments: PACEVectors.worked.filter { $0["p"].isPresent })
  func domainParameters(_ vector: Vector) throws {
    let group = try PACEVectors.core(vector).group
    #expect(group.generator.hexadecimal == vector["g"].text)
    // The printed prime and order give the same group as the number.
    let explicit = try ModularGroup(
      prime: vector["p"].bytes, generator: vector["g"].bytes, order: vector["q"].bytes)
    #expect(explicit.name == group.name && explicit.name == "MODP-1024-160")
  }

  @Test("the key of the password, and the decrypted nonce", arguments: PACEVectors.worked)
  func nonce(_ vector: Vector) throws {
    let key = try PACE.passwordKey(PACEVectors.key(vector), for: .aes128)
    #expect(key.hexadecimal == vector["K_pi"].text)
    #expect(try PACEVectors.nonce(vector).hexadecimal == vector["s"].text)
    if case .mrz(let information) = try PACEVectors.key(vector), vector["K_seed"].isPresent {
      #expect(try information.passwordSeed().hexadecimal == vector["K_seed"].text)
    }
  }

  @Test("the generic mapping, from both sides", arguments: PACEVectors.worked.filter { $0["H"].isPresent })
  func genericMapping(_ vector: Vector) throws {
    let core = try PACEVectors.core(vector)
    let group = core.group
    let reader = SecretBytes(vector["SK_map_IFD"].bytes)
    let chip = SecretBytes(vector["SK_map_IC"].bytes)
    #expect(try group.multiply(group.generator, by: reader).hexadecimal == vector["PK_map_IFD"].text)
    #expect(try group.multiply(group.generator, by: chip).hexadecimal == vector["PK_map_IC"].text)
    #expect(try group.multiply(vector["PK_map_IC"].bytes, by: reader).hexadecimal == vector["H"].text)
    #expect(try group.multiply(vector["PK_map_IFD"].bytes, by: chip).hexadecimal == vector["H"].text)
    let generator = try core.genericGenerator(
      nonce: PACEVectors.nonce(vector), privateKey: reader, publicKey: vector["PK_map_IFD"].bytes,
      chipKey: vector["PK_map_IC"].bytes)
    #expect(generator.hexadecimal == vector["G_mapped"].text)
  }

  @Test(
    "the integrated mapping, with every key of its random function",
    arguments: PACEVectors.worked.filter { $0["t"].isPresent })
  func integratedMapping(_ vector: Vector) throws {
    let core = try PACEVectors.core(vector)
    let random = try PACERandomFunction(cipher: .aes128).trace(
      nonce: PACEVectors.nonce(vector), readerNonce: SecretBytes(vector["t"].bytes), primeBits: core.group.primeBits)
    // The appendix prints the keys from the first one; the fixture omits those of the nonces.
    let keys = random.keys.map(\.hexadecimal)
    #expect(keys == vector["PRF_keys"].list.map(\.text))
    #expect(random.value.hexadecimal == vector["R"].text)
    let generator = try core.integratedGenerator(
      nonce: PACEVectors.nonce(vector), readerNonce: SecretBytes(vector["t"].bytes))
    #expect(generator.hexadecimal == vector["G_mapped"].text)
    // R modulo p gives the same element as R.
    #expect(try core.group.element(ofFieldValue: vector["Rp"].bytes).hexadecimal == vector["G_mapped"].text)
  }

  @Test("key agreement, session keys and tokens", arguments: PACEVectors.worked)
  func agreement(_ vector: Vector) throws {
    let core = try PACEVectors.core(vector)
    let reader = SecretBytes(vector["SK_IFD"].bytes)
    let generator = vector["G_mapped"].bytes
    #expect(try core.group.multiply(generator, by: reader).hexadecimal == vector["PK_IFD"].text)
    if vector["SK_IC"].isPresent {
      let chip = SecretBytes(vector["SK_IC"].bytes)
      #expect(try core.group.multiply(generator, by: chip).hexadecimal == vector["PK_IC"].text)
      #expect(
        try core.group.sharedSecret(privateKey: chip, with: vector["PK_IFD"].bytes).hexadecimal == vector["K"].text)
    }
    #expect(
      try core.group.sharedSecret(privateKey: reader, with: vector["PK_IC"].bytes).hexadecimal == vector["K"].text)
    let agreement = try core.agreement(
      privateKey: reader, publicKey: vector["PK_IFD"].bytes, chipKey: vector["PK_IC"].bytes)
    #expect(agreement.keys.encryption.hexadecimal == vector["KS_enc"].text)
    #expect(agreement.keys.authentication.hexadecimal == vector["KS_mac"].text)
    #expect(core.tokenInput(core.group.unsigned(vector["PK_IC"].bytes)).hexadecimal == vector["T_IFD_input"].text)
    #expect(core.tokenInput(core.group.unsigned(vector["PK_IFD"].bytes)).hexadecimal == vector["T_IC_input"].text)
    #expect(agreement.readerToken.hexadecimal == vector["T_IFD"].text)
    #expect(agreement.chipToken.hexadecimal == vector["T_IC"].text)
  }

  @Test("EF.CardAccess of the examples", arguments: PACEVectors.worked.filter { $0["EF_CardAccess"].isPresent })
  func cardAccess(_ vector: Vector) throws {
    // Appendix G prints the file with tag 11 instead of the tag 31 of a SET.
    var file = vector["EF_CardAccess"].bytes
    if file.first == 0x11 { file[0] = 0x31 }
    let infos = try SecurityInfos(file)
    #expect(infos.problems.isEmpty)
    let info = try #require(infos.pace.first)
    #expect(info.protocolIdentifier == vector["oid"].text && info.version == 2)
    #expect(info.parameterIdentifier == vector["parameter_id"].number)
    let choice = try #require(try PACEChoice.strongest(of: infos))
    #expect(choice.pace.identifier == vector["oid"].text)
    #expect(choice.parameterIdentifier == vector["parameter_id"].number)
    #expect(choice.reason.hasSuffix("is the only supported offer."))
    if vector["PACEInfo"].isPresent { #expect(infos.entries.first?.encoded.hexadecimal == vector["PACEInfo"].text) }
  }
}

@Suite("PACE in every combination, with both sides in this module")
struct PACECombinationTests {
  struct Combination: CustomTestStringConvertible {
    let pace: PACEProtocol
    let parameters: Int
    var testDescription: String { "\(pace.name), parameters \(parameters)" }
  }

  /// Every group with AES-128, and every cipher on brainpoolP256r1 and on the largest numbers.
  static let all: [Combination] = StandardizedDomainParameters.identifiers.flatMap { number in
    (number < 3 ? [1, 3] : number == 10 ? [2] : [2, 4]).flatMap { family in
      ([2, 13].contains(number) ? [1, 2, 3, 4] : [2]).compactMap { cipher in
        PACEProtocol("0.4.0.127.0.7.2.2.4.\(family).\(cipher)").map { Combination(pace: $0, parameters: number) }
      }
    }
  }

  @Test("the number of combinations")
  func count() { #expect(Self.all.count == 13 * 2 + 1 + 2 * 2 * 3) }

  @Test("both sides compute the same generator, keys and tokens", arguments: all)
  func agreement(_ combination: Combination) throws {
    let group = try StandardizedDomainParameters.group(combination.parameters)
    let core = PACE(pace: combination.pace, group: group)
    let function = PACERandomFunction(cipher: combination.pace.cipher)
    let length = combination.pace.cipher.keyLength > 16 ? 32 : 16
    let nonce = try RandomBytes.makeSecret(length)
    // The password decrypts data that were encrypted with it.
    let password = try PACE.passwordKey(AccessKey(cardAccessNumber: "271828"), for: combination.pace.cipher)
    let encrypted =
      combination.pace.cipher == .tripleDES
      ? try TripleDES(key: password).encryptSecret(nonce)
      : try AES(key: password).encryptSecret(nonce, initialisationVector: AES.zeroVector)
    #expect(try core.nonce(encrypted: encrypted.withUnsafeBytes { Array($0) }, passwordKey: password) == nonce)

    let generators: [[UInt8]]
    switch combination.pace.mapping {
    case .integrated:
      let readerNonce = try RandomBytes.makeSecret(function.readerNonceLength)
      generators = [try core.integratedGenerator(nonce: nonce, readerNonce: readerNonce)]
      #expect(throws: PACEError.malformedResponse(.nonce)) {
        try core.integratedGenerator(nonce: RandomBytes.makeSecret(24), readerNonce: readerNonce)
      }
    case .generic, .chipAuthentication:
      let keys = try (0..<2).map { _ in try group.makePrivateKey() }
      let publics = try keys.map { try group.multiply(group.generator, by: $0) }
      generators = try [(0, 1), (1, 0)].map { own, other in
        try core.genericGenerator(
          nonce: nonce, privateKey: keys[own], publicKey: publics[own], chipKey: publics[other])
      }
    }
    #expect(Set(generators).count == 1)
    for generator in generators { try group.validate(generator) }
    let keys = try (0..<2).map { _ in try group.makePrivateKey() }
    let publics = try keys.map { try group.multiply(generators[0], by: $0) }
    let reader = try core.agreement(privateKey: keys[0], publicKey: publics[0], chipKey: publics[1])
    let chip = try core.agreement(privateKey: keys[1], publicKey: publics[1], chipKey: publics[0])
    #expect(reader.readerToken == chip.chipToken && reader.chipToken == chip.readerToken)
    #expect(reader.keys.encryption == chip.keys.encryption && reader.readerToken != reader.chipToken)
    #expect(reader.keys.encryption.count == combination.pace.cipher.keyLength)
  }
}

@Suite("PACE with the chip authentication mapping against appendix I.1")
struct PACEChipAuthenticationTests {
  static let vector = PACEVectors.vector("pace-cam-icao-i1")
  static let negative = PACEVectors.vector("pace-cam-negative")["cases"].list

  static let keys = SessionKeys(
    cipher: .aes128, encryption: SecretBytes(vector["KS_enc"].bytes),
    authentication: SecretBytes(vector["KS_mac"].bytes))

  static func evidence(
    _ encrypted: [UInt8]?, parameterIdentifier: Int? = 13, explicitParameters: [UInt8]? = nil
  ) throws -> PACEChipAuthenticationEvidence {
    PACEChipAuthenticationEvidence(
      pace: try #require(PACEProtocol(vector["oid"].text)), parameterIdentifier: parameterIdentifier,
      explicitParameters: explicitParameters, mappingKey: vector["PK_map_IC"].bytes, encryptedData: encrypted,
      keys: keys)
  }

  static func infos(_ entries: [UInt8]...) throws -> SecurityInfos {
    try SecurityInfos(BERTLV.encode(0x31, entries.flatMap { $0 }))
  }

  @Test("the decrypted data of the chip give the mapping key")
  func worked() throws {
    let vector = Self.vector
    let evidence = try Self.evidence(vector["A_IC"].bytes)
    #expect(evidence.chipAuthenticationData?.hexadecimal == vector["CA_IC"].text)
    let cipher = try AES(key: Self.keys.encryption)
    let iv = try cipher.encrypt([UInt8](repeating: 0xFF, count: 16), initialisationVector: AES.zeroVector)
    #expect(iv.hexadecimal == vector["IV"].text)
    #expect(
      try cipher.decrypt(vector["A_IC"].bytes, initialisationVector: iv).hexadecimal == vector["CA_IC_padded"].text)
    let infos = try Self.infos(vector["ChipAuthenticationPublicKeyInfo"].bytes)
    let key = try #require(infos.chipAuthenticationKeys.first)
    #expect(try key.publicKey().element.hexadecimal == vector["static_PK_IC"].text)
    #expect(key.keyIdentifier == 13)
    let group = try key.publicKey().group
    #expect(
      try group.multiply(group.generator, by: SecretBytes(vector["static_SK_IC_derived"].bytes))
        == vector["static_PK_IC"].bytes)
    #expect(evidence.problem(infos) == nil)
  }

  @Test("modified data and other keys prove nothing")
  func rejected() throws {
    let infos = try Self.infos(Self.vector["ChipAuthenticationPublicKeyInfo"].bytes)
    #expect(try Self.evidence(Self.negative[0]["A_IC"].bytes).problem(infos) == .keyDiffers)
    #expect(try Self.evidence(Self.negative[1]["A_IC"].bytes).problem(infos) == .dataMalformed)
    #expect(try Self.evidence(nil).problem(infos) == .dataMissing)
    #expect(try Self.evidence(Self.vector["A_IC"].bytes).problem(try Self.infos()) == .keyMissing)
    // Replaces the static key, which is followed only by its number, by the mapping key.
    var entry = Self.vector["ChipAuthenticationPublicKeyInfo"].bytes
    let key = Self.negative[2]["static_PK_IC"].bytes
    entry.replaceSubrange(entry.count - 3 - key.count..<entry.count - 3, with: key)
    #expect(try Self.evidence(Self.vector["A_IC"].bytes).problem(Self.infos(entry)) == .keyDiffers)
    entry[entry.count - 4] ^= 1
    #expect(throws: GroupElementProblem.notInGroup) {
      try Self.infos(entry).chipAuthenticationKeys.first?.publicKey()
    }
    #expect(try Self.evidence(Self.vector["A_IC"].bytes).problem(Self.infos(entry)) == .keyDiffers)
  }

  @Test("a matching key among several on one curve is proof, whatever its number")
  func twoKeys() throws {
    var entry = Self.vector["ChipAuthenticationPublicKeyInfo"].bytes
    var other = entry
    let key = Self.negative[2]["static_PK_IC"].bytes
    other.replaceSubrange(other.count - 3 - key.count..<other.count - 3, with: key)
    let evidence = try Self.evidence(Self.vector["A_IC"].bytes)
    for (number, otherNumber) in [(13, 14), (14, 13), (13, 13), (1, 2)] as [(UInt8, UInt8)] {
      entry[entry.count - 1] = number
      other[other.count - 1] = otherNumber
      #expect(try evidence.problem(Self.infos(other, entry)) == nil)
      #expect(try evidence.problem(Self.infos(entry, other)) == nil)
      #expect(try evidence.problem(Self.infos(other)) == .keyDiffers)
      if number == otherNumber {
        #expect(
          try Self.infos(entry, other).problems
            == [.ambiguous(protocolIdentifier: SecurityInfos.Arc.publicKey, number: 13)])
      }
    }
  }

  @Test("a proof in another group than the key's does not count, however the group was stated")
  func otherGroup() throws {
    let infos = try Self.infos(Self.vector["ChipAuthenticationPublicKeyInfo"].bytes)
    let data = Self.vector["A_IC"].bytes
    func problem(_ number: Int?, _ explicit: [UInt8]? = nil) throws -> PACEChipAuthenticationProblem? {
      try Self.evidence(data, parameterIdentifier: number, explicitParameters: explicit).problem(infos)
    }
    #expect(try problem(13) == nil)
    for number in [12, 11, 2, 40, nil] { #expect(try problem(number) == .keyMissing) }
    // The same curve with explicit parameters, and another curve with the number of this one.
    let vector = try #require(ChipAuthenticationTests.vectors.first { $0.id == "ca-ecdh-aes128-at" })
    let group14 = vector["DG14"].bytes
    let start = try #require((0..<group14.count - 3).first { group14[$0..<$0 + 3] == [0x30, 0x81, 0xEC] })
    #expect(try problem(40, Array(group14[start..<start + 239])) == nil)
    let other = BERTLV.encode(
      0x30,
      BERTLV.encode(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
        + BERTLV.encode(0x06, SecurityInfosTests.known))
    #expect(try problem(13, other) == .keyMissing)
    #expect(try problem(13, [0x30, 0x00]) == .keyMissing)
  }
}
