import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("SecurityInfos and the choice of PACE")
struct SecurityInfosTests {
  static let pace = "04007F000702020402"

  static func infos(_ entries: [UInt8]...) throws -> SecurityInfos {
    try SecurityInfos(BERTLV.encode(0x31, entries.flatMap { $0 }))
  }

  static func file(_ name: String) -> [UInt8] { Fixtures.file("Passport/PassportTests", "CardSecurity/\(name).bin") }

  @Test("encodes DG14 and DG15 unchanged, and from values")
  func writers() throws {
    let bsi = Fixtures.specimen("bsi2008", file: "Datagroup14.bin")
    let read = try DataGroup14(bsi)
    #expect(read.encoded == bsi && !read.securityInfos.entries.isEmpty)
    // An entry of an unknown protocol stays unchanged.
    let entries = [SecurityInfoBytes.pace(2, 2, 13), SecurityInfoBytes.entry("2A0304", SecurityInfoBytes.number(7))]
    let built = DataGroup14(securityInfos: try SecurityInfos(entries: entries))
    #expect(built.encoded == BERTLV.encode(0x6E, BERTLV.encode(0x31, entries.flatMap { $0 })))
    #expect(try DataGroup14(built.encoded) == built && built.securityInfos.pace.count == 1)
    #expect(throws: CryptographyError.self) { try SecurityInfos(entries: [[0x30, 0x00]]) }

    let file = Fixtures.specimen("bsi2008", file: "Datagroup15.bin")
    let group = try DataGroup15(file)
    #expect(group.encoded == file)
    let info = Array(try BERTLV.value(of: 0x6F, in: file[...]))
    #expect(DataGroup15(publicKey: try PublicKey(subjectPublicKeyInfo: info)) == group)
    // Octets behind the key; and the key of indefinite length.
    #expect(try DataGroup15(BERTLV.encode(0x6F, info + [0, 0, 0])) == group)
    let content = Array(try BERTLV.value(of: 0x30, in: info[...]))
    let indefinite = try DataGroup15(BERTLV.encode(0x6F, [0x30, 0x80] + content + [0, 0]))
    #expect(indefinite.publicKey.isSameKey(as: group.publicKey))
  }

  @Test(
    "an entry without a protocol does not affect the others",
    arguments: ["3000", "0500", "3003020101", "300D 060B 2A 81808080808080808000"])
  func unnamed(_ entry: String) throws {
    let bytes = try #require([UInt8](hexadecimal: entry.filter { $0 != " " }))
    let infos = try Self.infos(bytes, SecurityInfoBytes.pace(2, 2, 13))
    #expect(infos.problems == [.unnamed] && infos.entries.count == 1)
    let choice = try PACEChoice.strongest(of: infos)
    #expect(choice?.parameterIdentifier == 13 && choice?.reason.contains(SecurityInfoProblem.unnamed.sentence) == true)
    // The entry may be an offer, so the result is not that nothing is offered.
    let alone = try Self.infos(bytes)
    #expect(throws: ChipAuthenticationProblem.notUsable(SecurityInfoProblem.unnamed.sentence)) {
      try ChipAuthentication.strongest(of: alone)
    }
  }

  @Test("reports an EF.CardAccess with unreadable offers if Basic Access Control succeeds")
  func unnamedAccess() async throws {
    var files = try Reads.specimen()
    files[.cardAccess] = [0x31, 0x02, 0x30, 0x00]
    let dump = try await Reads.read(files, profile: .bac).dump.get()
    #expect(dump.accessProtocol == .bac && dump[.cardAccess] != nil)
    #expect(dump.paceOmissionReason == SecurityInfoProblem.unnamed.sentence)
    #expect(try Report(dump).json().contains(SecurityInfoProblem.unnamed.sentence))
  }

  @Test(
    "EF.CardAccess of published test cards",
    arguments: [("tc_ecdh_ef_cardaccess", 13, 6), ("tc_dh_ef_cardaccess", 0, 6), ("efCardAccess", 13, 6)])
  func cardAccess(_ name: String, _ parameters: Int, _ entries: Int) throws {
    let bytes = Self.file(name)
    #expect(bytes.count > 200)
    let infos = try SecurityInfos(bytes)
    #expect(infos.entries.count == entries)
    let choice = try #require(try PACEChoice.strongest(of: infos))
    #expect(choice.parameterIdentifier == parameters)
    #expect(choice.pace.cipher == .aes128 && choice.pace.mapping == .generic)
  }

  @Test(
    "EF.CardSecurity of published test cards is read, and its signature is valid",
    arguments: ["tc_ecdh_ef_cardsecurity", "tc_dh_ef_cardsecurity", "efCardSecurity"])
  func cardSecurity(_ name: String) throws {
    let file = try EFCardSecurity(Self.file(name))
    #expect(file.signatureProblem == nil)
    let key = try #require(file.securityInfos.chipAuthenticationKeys.first)
    _ = try key.publicKey()
    let vectors = Fixtures.vectors("Passport/PassportTests", "chip-auth.json")
      .filter { $0["EF_CardSecurity_file"].isPresent }
    let vector = vectors.first { $0["EF_CardSecurity_file"].text.contains(name) }
    #expect((vector != nil) == name.hasPrefix("tc_"))
    if let vector { #expect(try key.publicKey().element.hexadecimal == vector["PK_IC"].text) }
    // With one modified byte of the key, the signature is wrong.
    var bytes = Self.file(name)
    let element = try key.publicKey().element
    let place = try #require((0..<bytes.count - 32).first { bytes[$0..<$0 + 32] == element.suffix(32) })
    bytes[place] ^= 1
    #expect(try EFCardSecurity(bytes).signatureProblem == .contentDigestDiffers)
  }

  @Test("reads a published EF.CardSecurity except its key, which lacks the enclosing SEQUENCE")
  func malformedKey() throws {
    let file = try EFCardSecurity(Self.file("jmrtd_efcardsecurity"))
    #expect(file.securityInfos.problems == [.malformed(protocolIdentifier: "0.4.0.127.0.7.2.2.1.2")])
    #expect(file.securityInfos.chipAuthenticationKeys.isEmpty && file.securityInfos.entries.count == 4)
    #expect(throws: PassportError.self) { try EFCardSecurity([0x30, 0x03, 2, 1, 1]) }
    #expect(throws: PassportError.self) { try EFCardSecurity([]) }
  }

  @Test("keeps unknown entries, and reports malformed ones as problems")
  func problems() throws {
    let unknown = SecurityInfoBytes.entry("2A0304", [0x04, 0x01, 0x07])
    let good = SecurityInfoBytes.pace(2, 2, 13)
    let broken = SecurityInfoBytes.entry(Self.pace + "02", [])
    let oldVersion = SecurityInfoBytes.entry(
      Self.pace + "02", SecurityInfoBytes.number(1) + SecurityInfoBytes.number(13))
    let undefined = SecurityInfoBytes.entry("04007F00070202030200", SecurityInfoBytes.number(1))
    let infos = try Self.infos(unknown, good, broken, oldVersion, undefined)
    #expect(infos.entries.count == 5)
    #expect(infos.entries[0].encoded == unknown)
    #expect(infos.pace.count == 1 && infos.chipAuthentication.isEmpty)
    #expect(
      infos.problems == [
        .malformed(protocolIdentifier: "0.4.0.127.0.7.2.2.4.2.2"),
        .unknownVersion(protocolIdentifier: "0.4.0.127.0.7.2.2.4.2.2", version: 1),
        .unknownProtocol("0.4.0.127.0.7.2.2.3.2.0"),
      ])
    #expect(try Self.infos(good, good).problems == [.repeated])
    #expect(throws: CryptographyError.self) { try SecurityInfos([0x31, 0x82]) }
    #expect(throws: CryptographyError.self) { try SecurityInfos([]) }
    #expect(try Self.infos().entries.isEmpty)
    #expect(try PACEChoice.strongest(of: Self.infos()) == nil)
  }

  @Test("chooses the strongest of several offers, whatever their order")
  func strongest() throws {
    func choice(_ entries: [UInt8]...) throws -> String {
      func choice(_ entries: [[UInt8]]) throws -> PACEChoice {
        try #require(try PACEChoice.strongest(of: SecurityInfos(BERTLV.encode(0x31, entries.flatMap { $0 }))))
      }
      let forward = try choice(entries)
      let backward = try choice(entries.reversed())
      #expect(forward.pace == backward.pace && forward.parameterIdentifier == backward.parameterIdentifier)
      return "\(forward.pace.name) \(forward.parameterIdentifier ?? -1)"
    }
    // An attacker chooses the weaker of cipher and group.
    #expect(try choice(SecurityInfoBytes.pace(2, 1, 13), SecurityInfoBytes.pace(2, 2, 13)) == "ECDH-GM AES-128 13")
    #expect(try choice(SecurityInfoBytes.pace(2, 4, 8), SecurityInfoBytes.pace(2, 2, 13)) == "ECDH-GM AES-128 13")
    #expect(try choice(SecurityInfoBytes.pace(2, 2, 13), SecurityInfoBytes.pace(2, 4, 13)) == "ECDH-GM AES-256 13")
    #expect(try choice(SecurityInfoBytes.pace(2, 4, 13), SecurityInfoBytes.pace(2, 3, 16)) == "ECDH-GM AES-192 16")
    #expect(try choice(SecurityInfoBytes.pace(1, 2, 2), SecurityInfoBytes.pace(2, 2, 12)) == "ECDH-GM AES-128 12")
    // At equal strength: first the mapping that proves the chip's key, then the generic one.
    #expect(try choice(SecurityInfoBytes.pace(4, 2, 13), SecurityInfoBytes.pace(2, 2, 13)) == "ECDH-GM AES-128 13")
    #expect(
      try choice(SecurityInfoBytes.pace(4, 2, 13), SecurityInfoBytes.pace(2, 2, 13), SecurityInfoBytes.pace(6, 2, 13))
        == "ECDH-CAM AES-128 13")
    // Not defined: the integrated mapping on secp224r1, CAM with 3DES, reserved parameters.
    #expect(try choice(SecurityInfoBytes.pace(4, 4, 10), SecurityInfoBytes.pace(2, 1, 8)) == "ECDH-GM 3DES 8")
    #expect(throws: PACEError.noSupportedOffer) { try choice(SecurityInfoBytes.pace(4, 4, 10)) }
    #expect(throws: PACEError.noSupportedOffer) { try choice(SecurityInfoBytes.pace(6, 1, 13)) }
    #expect(throws: PACEError.noSupportedOffer) { try choice(SecurityInfoBytes.pace(2, 2, 7)) }
    // A curve for a protocol with numbers modulo a prime.
    #expect(throws: PACEError.noSupportedOffer) { try choice(SecurityInfoBytes.pace(1, 2, 13)) }
  }

  @Test("the reason names the choice and the unsupported offers")
  func reason() throws {
    let choice = try #require(
      try PACEChoice.strongest(
        of: Self.infos(
          SecurityInfoBytes.pace(2, 2, 13), SecurityInfoBytes.pace(2, 4, 7), SecurityInfoBytes.pace(2, 1, 13))))
    #expect(
      choice.reason
        == "ECDH-GM AES-128 with brainpoolP256r1 is the strongest of 2 offers (128 bits). "
        + "ECDH-GM AES-256 with parameters 7 is not supported.")
    #expect(choice.isAmbiguous)
    // A reader with short commands only cannot send numbers of 2048 bits.
    let both = try Self.infos(SecurityInfoBytes.pace(1, 2, 2), SecurityInfoBytes.pace(2, 1, 12))
    #expect(try PACEChoice.strongest(of: both)?.pace.agreement == .dh)
    let short = try #require(try PACEChoice.strongest(of: both, commandLengthLimit: 261))
    #expect(short.pace.agreement == .ecdh)
    #expect(short.reason.hasSuffix("DH-GM AES-128 needs longer commands than the reader supports."))
    #expect(try PACEChoice.strongest(of: Self.infos(SecurityInfoBytes.pace(2, 2, 13)))?.isAmbiguous == false)
  }

  @Test("explicit domain parameters for PACE")
  func explicit() throws {
    let vector = try #require(
      Fixtures.vectors("Passport/PassportTests", "chip-auth.json").first { $0.id == "ca-ecdh-aes128-at" })
    let group14 = vector["DG14"].bytes
    let start = try #require((0..<group14.count - 3).first { group14[$0..<$0 + 3] == [0x30, 0x81, 0xEC] })
    let algorithm = Array(group14[start..<start + 239])
    let info = SecurityInfoBytes.entry("04007F000702020402", algorithm + SecurityInfoBytes.number(40))
    let choice = try #require(try PACEChoice.strongest(of: Self.infos(info, SecurityInfoBytes.pace(2, 2, 40))))
    #expect(choice.group.name == "brainpoolP256r1" && choice.parameterIdentifier == 40)
    #expect(choice.explicitParameters == algorithm)
    #expect(try PACEChoice.strongest(of: Self.infos(SecurityInfoBytes.pace(2, 2, 13)))?.explicitParameters == nil)
    // Two sets with one number are ambiguous.
    let standardized = [UInt8](hexadecimal: "300C060704007F0007010202010D") ?? []
    let other = SecurityInfoBytes.entry("04007F000702020402", standardized + SecurityInfoBytes.number(40))
    let lie = try Self.infos(info, other, SecurityInfoBytes.pace(2, 2, 40))
    #expect(lie.problems == [.ambiguous(protocolIdentifier: SecurityInfos.Arc.pace, number: 40)])
    #expect(throws: PACEError.noSupportedOffer) { try PACEChoice.strongest(of: lie) }
    #expect(throws: PACEError.noSupportedOffer) {
      try PACEChoice.strongest(of: Self.infos(SecurityInfoBytes.pace(2, 2, 40)))
    }
  }

  /// `PACEDomainParameterInfo` with the name of a curve.
  static func curve(_ name: [UInt8], _ number: UInt8) -> [UInt8] {
    let algorithm = BERTLV.encode(
      0x30, BERTLV.encode(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]) + BERTLV.encode(0x06, name))
    return SecurityInfoBytes.entry("04007F000702020402", algorithm + SecurityInfoBytes.number(number))
  }

  /// prime256v1.
  static let known: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

  @Test("validates at most eight explicit domain parameters, and states that in the reason")
  func manyParameters() throws {
    func infos(_ count: UInt8, _ others: [UInt8]...) throws -> SecurityInfos {
      // Unknown curves, followed by a usable one.
      let unknown = (0..<count).map { Self.curve([0x2A, 0x03, $0], 40 + $0) + SecurityInfoBytes.pace(2, 2, 40 + $0) }
      let good = Self.curve(Self.known, 80) + SecurityInfoBytes.pace(2, 2, 80)
      return try SecurityInfos(BERTLV.encode(0x31, (unknown + [good] + others).flatMap { $0 }))
    }
    #expect(try PACEChoice.strongest(of: infos(7))?.parameterIdentifier == 80)
    let infos = try infos(8, SecurityInfoBytes.pace(2, 1, 8))
    let choice = try #require(try PACEChoice.strongest(of: infos))
    #expect(choice.parameterIdentifier == 8)
    #expect(
      choice.reason.hasSuffix(
        "ECDH-GM AES-128 with parameters 80 was left out: at most 8 explicit parameter sets or keys of a chip are "
          + "validated."), "\(choice.reason)")
    // The same set for many protocols counts once.
    let ciphers = (1...4).flatMap { SecurityInfoBytes.pace(2, $0, 80) + SecurityInfoBytes.pace(4, $0, 13) }
    #expect(try PACEChoice.ranked(SecurityInfos(BERTLV.encode(0x31, Self.curve(Self.known, 80) + ciphers))).count == 8)
  }

  @Test("validates parameters once and caches the result")
  func validationCache() throws {
    var checked = ValidationCache<Int>()
    var calls = 0
    for _ in 0..<3 {
      #expect(
        try checked.value(of: [1]) {
          calls += 1
          return 5
        } == 5)
      #expect(throws: PACEError.wrongToken) {
        try checked.value(of: [2]) {
          calls += 1
          throw PACEError.wrongToken
        }
      }
    }
    #expect(calls == 2)
    for number in 3...8 { #expect(try checked.value(of: [UInt8(number)]) { number } == number) }
    #expect(throws: TooManyParameters.self) { try checked.value(of: [9]) { 9 } }
    #expect(try checked.value(of: [1]) { 0 } == 5)
  }

  @Test("prefers the standardised group among equally strong ones")
  func knownGroups() throws {
    // secp160r1, which no document may use: 80 bits, like the 1024-bit group.
    let made = Self.curve([0x2B, 0x81, 0x04, 0x00, 0x08], 40)
    let choices = try PACEChoice.ranked(
      Self.infos(made, SecurityInfoBytes.pace(2, 2, 40), SecurityInfoBytes.pace(1, 2, 0)))
    #expect(choices.map(\.group.strength) == [80, 80])
    #expect(choices.map(\.parameterIdentifier) == [0, 40])
    #expect(choices.map(\.group.name) == ["MODP-1024-160", nil])
  }

  @Test("does not confuse an identifier with a very large arc with one that lacks this arc")
  func longArcs() throws {
    let arc = "81808080808080808000"
    #expect(ObjectIdentifierBytes.arcs("0.4.127") == [0, 4, 127])
    for text in ["0.4.9223372036854775808", "0..4", "0.-4", "0.x", ""] {
      #expect(ObjectIdentifierBytes.arcs(text) == nil)
    }
    #expect(ObjectIdentifierBytes.encode("0.4.9223372036854775808.1") == [])
    #expect(PACEProtocol("0.4.0.127.0.7.2.2.4.9223372036854775808.2.2") == nil)
    #expect(ChipAuthenticationProtocol("0.4.0.127.0.7.2.2.3.9223372036854775808.2.2") == nil)
    // In a file they are excluded earlier: the ASN.1 parser cannot represent them.
    for family in ["04", "03", "01"] {
      let entry = SecurityInfoBytes.entry("04007F00070202\(family)\(arc)0202", SecurityInfoBytes.number(2))
      let infos = try Self.infos(entry)
      #expect(infos.problems == [.unnamed] && infos.entries.isEmpty && !infos.offers("0.4"))
    }
  }
}
