import Cryptography
import SmartCard
import TestSupport
import Testing

@testable import Passport

@Suite("SecurityInfos and the choice of PACE")
struct SecurityInfosTests {
  static let pace = "04007F000702020402"

  /// One entry: an object identifier's value bytes and what follows.
  static func entry(_ identifier: String, _ rest: [UInt8]) -> [UInt8] {
    BERTLV.encode(0x30, BERTLV.encode(0x06, [UInt8](hexadecimal: identifier) ?? []) + rest)
  }

  static func number(_ value: UInt8) -> [UInt8] { [0x02, 0x01, value] }

  static func infos(_ entries: [UInt8]...) throws -> SecurityInfos {
    try SecurityInfos(BERTLV.encode(0x31, entries.flatMap { $0 }))
  }

  static func file(_ name: String) -> [UInt8] { Fixtures.file("PassportTests", "CardSecurity/\(name).bin") }

  static func pace(_ family: UInt8, _ cipher: UInt8, _ parameters: UInt8?) -> [UInt8] {
    entry(
      "04007F00070202 04 \([family].hexadecimal)\([cipher].hexadecimal)".filter { $0 != " " },
      number(2) + (parameters.map { number($0) } ?? []))
  }

  @Test("DG14 and DG15 are written as they came, and from values")
  func writers() throws {
    let bsi = Fixtures.specimen("bsi2008", file: "Datagroup14.bin")
    let read = try DataGroup14(bsi)
    #expect(read.encoded == bsi && !read.securityInfos.entries.isEmpty)
    // An entry of an unknown protocol stays as it came.
    let entries = [Self.pace(2, 2, 13), Self.entry("2A0304", Self.number(7))]
    let built = DataGroup14(securityInfos: try SecurityInfos(entries: entries))
    #expect(built.encoded == BERTLV.encode(0x6E, BERTLV.encode(0x31, entries.flatMap { $0 })))
    #expect(try DataGroup14(built.encoded) == built && built.securityInfos.pace.count == 1)
    #expect(throws: CryptographyError.self) { try SecurityInfos(entries: [[0x30, 0x00]]) }

    let file = Fixtures.specimen("bsi2008", file: "Datagroup15.bin")
    let group = try DataGroup15(file)
    #expect(group.encoded == file)
    let info = Array(try BERTLV.value(of: 0x6F, in: file[...]))
    #expect(DataGroup15(publicKey: try PublicKey(subjectPublicKeyInfo: info)) == group)
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
    "EF.CardSecurity of published test cards is read, and its signature holds",
    arguments: ["tc_ecdh_ef_cardsecurity", "tc_dh_ef_cardsecurity", "efCardSecurity"])
  func cardSecurity(_ name: String) throws {
    let file = try EFCardSecurity(Self.file(name))
    #expect(file.signatureProblem == nil)
    let key = try #require(file.securityInfos.chipAuthenticationKeys.first)
    _ = try key.publicKey()
    let vectors = Fixtures.vectors("PassportTests", "chip-auth.json").filter { $0["EF_CardSecurity_file"].isPresent }
    let vector = vectors.first { $0["EF_CardSecurity_file"].text.contains(name) }
    #expect((vector != nil) == name.hasPrefix("tc_"))
    if let vector { #expect(try key.publicKey().element.hexadecimal == vector["PK_IC"].text) }
    // One changed byte of the key, and the signature no longer holds.
    var bytes = Self.file(name)
    let element = try key.publicKey().element
    let place = try #require((0..<bytes.count - 32).first { bytes[$0..<$0 + 32] == element.suffix(32) })
    bytes[place] ^= 1
    #expect(try EFCardSecurity(bytes).signatureProblem == .contentDigestDiffers)
  }

  @Test("a published EF.CardSecurity whose key lacks the SEQUENCE around it: the rest of it counts")
  func malformedKey() throws {
    let file = try EFCardSecurity(Self.file("jmrtd_efcardsecurity"))
    #expect(file.securityInfos.problems == [.malformed(protocolIdentifier: "0.4.0.127.0.7.2.2.1.2")])
    #expect(file.securityInfos.chipAuthenticationKeys.isEmpty && file.securityInfos.entries.count == 4)
    #expect(throws: PassportError.self) { try EFCardSecurity([0x30, 0x03, 2, 1, 1]) }
    #expect(throws: PassportError.self) { try EFCardSecurity([]) }
  }

  @Test("unknown entries are kept, and broken ones are problems beside the others")
  func problems() throws {
    let unknown = Self.entry("2A0304", [0x04, 0x01, 0x07])
    let good = Self.pace(2, 2, 13)
    let broken = Self.entry(Self.pace + "02", [])
    let oldVersion = Self.entry(Self.pace + "02", Self.number(1) + Self.number(13))
    let undefined = Self.entry("04007F00070202030200", Self.number(1))
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
    #expect(throws: CryptographyError.self) { try SecurityInfos([0x31, 0x02, 0x30, 0x00]) }
    #expect(throws: CryptographyError.self) { try SecurityInfos([0x31, 0x82]) }
    #expect(throws: CryptographyError.self) { try SecurityInfos([]) }
    #expect(try Self.infos().entries.isEmpty)
    #expect(try PACEChoice.strongest(of: Self.infos()) == nil)
  }

  @Test("of several offers the strongest is taken, whatever their order")
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
    // An attacker takes the weaker of cipher and group.
    #expect(try choice(Self.pace(2, 1, 13), Self.pace(2, 2, 13)) == "ECDH-GM AES-128 13")
    #expect(try choice(Self.pace(2, 4, 8), Self.pace(2, 2, 13)) == "ECDH-GM AES-128 13")
    #expect(try choice(Self.pace(2, 2, 13), Self.pace(2, 4, 13)) == "ECDH-GM AES-256 13")
    #expect(try choice(Self.pace(2, 4, 13), Self.pace(2, 3, 16)) == "ECDH-GM AES-192 16")
    #expect(try choice(Self.pace(1, 2, 2), Self.pace(2, 2, 12)) == "ECDH-GM AES-128 12")
    // Equal strength: first the mapping that proves the chip, then the generic one.
    #expect(try choice(Self.pace(4, 2, 13), Self.pace(2, 2, 13)) == "ECDH-GM AES-128 13")
    #expect(try choice(Self.pace(4, 2, 13), Self.pace(2, 2, 13), Self.pace(6, 2, 13)) == "ECDH-CAM AES-128 13")
    // Not defined: the integrated mapping on secp224r1, CAM with 3DES, reserved parameters.
    #expect(try choice(Self.pace(4, 4, 10), Self.pace(2, 1, 8)) == "ECDH-GM 3DES 8")
    #expect(throws: PACEError.nothingInCommon) { try choice(Self.pace(4, 4, 10)) }
    #expect(throws: PACEError.nothingInCommon) { try choice(Self.pace(6, 1, 13)) }
    #expect(throws: PACEError.nothingInCommon) { try choice(Self.pace(2, 2, 7)) }
    // A curve under a protocol for numbers.
    #expect(throws: PACEError.nothingInCommon) { try choice(Self.pace(1, 2, 13)) }
  }

  @Test("the reason tells what was chosen and what was not possible")
  func reason() throws {
    let choice = try #require(
      try PACEChoice.strongest(of: Self.infos(Self.pace(2, 2, 13), Self.pace(2, 4, 7), Self.pace(2, 1, 13))))
    #expect(
      choice.reason
        == "ECDH-GM AES-128 with brainpoolP256r1 is the strongest of 2 offers, of 128 bits. "
        + "ECDH-GM AES-256 with parameters 7 cannot be done.")
    #expect(choice.isAmbiguous)
    // A reader for short commands cannot carry numbers of 2048 bits.
    let both = try Self.infos(Self.pace(1, 2, 2), Self.pace(2, 1, 12))
    #expect(try PACEChoice.strongest(of: both)?.pace.agreement == .dh)
    let short = try #require(try PACEChoice.strongest(of: both, commandLengthLimit: 261))
    #expect(short.pace.agreement == .ecdh)
    #expect(short.reason.hasSuffix("DH-GM AES-128 needs longer commands than the reader can carry."))
    #expect(try PACEChoice.strongest(of: Self.infos(Self.pace(2, 2, 13)))?.isAmbiguous == false)
  }

  @Test("explicit domain parameters for PACE")
  func explicit() throws {
    let vector = try #require(
      Fixtures.vectors("PassportTests", "chip-auth.json").first { $0.id == "ca-ecdh-aes128-at" })
    let group14 = vector["DG14"].bytes
    let start = try #require((0..<group14.count - 3).first { group14[$0..<$0 + 3] == [0x30, 0x81, 0xEC] })
    let algorithm = Array(group14[start..<start + 239])
    let info = Self.entry("04007F000702020402", algorithm + Self.number(40))
    let choice = try #require(try PACEChoice.strongest(of: Self.infos(info, Self.pace(2, 2, 40))))
    #expect(choice.group.name == "brainpoolP256r1" && choice.parameterIdentifier == 40)
    // Two sets of one number leave open which one counts.
    let standardized = [UInt8](hexadecimal: "300C060704007F0007010202010D") ?? []
    let other = Self.entry("04007F000702020402", standardized + Self.number(40))
    let lie = try Self.infos(info, other, Self.pace(2, 2, 40))
    #expect(lie.problems == [.ambiguous(protocolIdentifier: SecurityInfos.Arc.pace, number: 40)])
    #expect(throws: PACEError.nothingInCommon) { try PACEChoice.strongest(of: lie) }
    #expect(throws: PACEError.nothingInCommon) { try PACEChoice.strongest(of: Self.infos(Self.pace(2, 2, 40))) }
  }

  /// A prime of 4096 bits, the longest that is taken, takes more than a second to check. Hundreds of keys or offers that
  /// lead to one kept the reader busy for minutes.
  @Test("a file of costly groups is not followed for long")
  func costly() throws {
    var checks = 0
    func key(_ number: UInt8) -> [UInt8] {
      Self.entry("04007F000702020101", BERTLV.encode(0x30, [UInt8]()) + Self.number(number))
    }
    func protocols(_ number: UInt8) -> [UInt8] {
      Self.entry("04007F0007020203010\(number % 4 + 1)", Self.number(1) + Self.number(number))
    }
    func parameters(_ number: UInt8) -> [UInt8] {
      Self.entry("04007F000702020401", BERTLV.encode(0x30, [0x06, 0x01, 0x2A]) + Self.number(number))
    }
    let infos = try SecurityInfos(
      BERTLV.encode(0x31, (40..<100).flatMap { key($0) + protocols($0) + parameters($0) }))
    #expect(infos.entries.count == 180)
    #expect(infos.chipAuthentication.count == 60)
    #expect(infos.chipAuthenticationKeys.map(\.keyIdentifier) == (40..<48).map { $0 })
    #expect(infos.paceDomainParameters.map(\.parameterIdentifier) == (40..<48).map { $0 })
    let tooMany = infos.problems.filter { if case .tooMany = $0 { true } else { false } }
    #expect(tooMany.count == 104)
    #expect(tooMany.first?.sentence == "There are too many entries like the one for 0.4.0.127.0.7.2.2.1.1.")

    // Those that are left are checked once, however often they are named.
    var checked = CheckedOnce<Int, Int>()
    for number in [1, 2, 1, 1, 2] {
      #expect(
        try checked.value(of: number) {
          checks += 1
          return $0 * 2
        } == number * 2)
    }
    #expect(checks == 2)
    struct Refusal: Error {}
    for _ in 0..<3 {
      #expect(throws: Refusal.self) {
        try checked.value(of: 3) { _ in
          checks += 1
          throw Refusal()
        }
      }
    }
    #expect(checks == 3)
  }
}
