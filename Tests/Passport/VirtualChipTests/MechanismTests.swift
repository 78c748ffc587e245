import TesseraCryptography
import TesseraPassport
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraVirtualChip

@Suite("Mechanisms of the virtual chip")
struct MechanismTests {
  @Test("every variant of PACE opens the chip", arguments: ChipProfile.mechanisms.pace)
  func pace(_ offer: PACEOffer) throws {
    var terminal = try TestTerminal(.mechanisms)
    #expect(try terminal.pace(offer) == "9000", "\(offer.description)")
    #expect(try terminal.selectApplication() == "9000")
    #expect(try terminal.read(1).count == 93)
  }

  @Test(
    "every key of Chip Authentication establishes new session keys",
    arguments: ChipProfile.mechanisms.chipAuthentication)
  func chipAuthentication(_ offer: ChipAuthenticationOffer) throws {
    var terminal = try TestTerminal(.mechanisms)
    #expect(try terminal.pace(try #require(terminal.chip.profile.pace.first)) == "9000")
    _ = try terminal.selectApplication()
    #expect(try terminal.authenticateChip(offer) != nil, "\(offer.description)")
    #expect(try terminal.read(1).count == 93)
  }

  @Test("Chip Authentication refuses unknown keys and points off the curve, and the session continues")
  func chipAuthenticationRefused() throws {
    var terminal = try TestTerminal(try #require(ChipProfile(named: "germany-2023")))
    #expect(try terminal.send([0x00, 0x22, 0x41, 0xA4], [0x80, 0x01, 0x00]).status == "6982")
    #expect(try terminal.pace(try #require(terminal.chip.profile.pace.first)) == "9000")
    _ = try terminal.selectApplication()
    let offer = try #require(terminal.chip.profile.chipAuthentication.first)
    let identifier = BERTLV.encode(0x80, offer.objectIdentifier)
    #expect(try terminal.send([0x00, 0x22, 0x41, 0xA4], identifier + [0x84, 0x01, 0x63]).status == "6A88")
    #expect(try terminal.send([0x00, 0x22, 0x41, 0xA4], [0x80, 0x01, 0x00]).status == "6A80")
    #expect(try terminal.send([0x00, 0x86, 0, 0], [0x7C, 0x00], 256).status == "6985")
    #expect(try terminal.send([0x00, 0x22, 0x41, 0xA4], identifier).status == "9000")
    let point = [0x04] + [UInt8](repeating: 1, count: 64)
    let object = BERTLV.encode(0x7C, BERTLV.encode(0x80, point))
    #expect(try terminal.send([0x00, 0x86, 0, 0], object, 256).status == "6A80")
    #expect(try terminal.read(1).count == 93)
  }

  // MARK: - Passwords

  @Test("without a retry counter, every wrong password returns 6300")
  func uncounted() throws {
    var terminal = try TestTerminal(try #require(ChipProfile(named: "austria-2023")))
    let offer = try #require(terminal.chip.profile.pace.first)
    for _ in 0..<5 { #expect(try terminal.pace(offer, .can, secret: Array("000000".utf8)) == "6300") }
    #expect(try terminal.pace(offer, .can) == "9000")
  }

  @Test(
    "with a retry counter, wrong passwords return 63Cx and then block; only a correct password restores the counter"
  )
  func counted() throws {
    var profile = try #require(ChipProfile(named: "fault-blocked"))
    profile.tries = profile.tries.mapValues { _ in CardPassword.RetryCounter(limit: 2, suspends: false) }
    var terminal = try TestTerminal(profile)
    let offer = try #require(profile.pace.first)
    let wrong = Array("000000".utf8)
    var chosen = ""
    #expect(try terminal.pace(offer, .can, secret: wrong) == "63C1")
    terminal.chip.reset()
    #expect(try terminal.pace(offer, .can, chosen: &chosen) == "9000" && chosen == "63C1")
    terminal.chip.reset()
    terminal = TestTerminal(chip: terminal.chip)
    #expect(try terminal.pace(offer, .can, secret: wrong) == "63C1")
    #expect(try terminal.pace(offer, .can, secret: wrong) == "63C0")
    terminal.chip.reset()
    #expect(try terminal.pace(offer, .can) == "6983")
    #expect(try terminal.pace(offer, .mrz) == "9000", "the other password has its own counter")
  }

  @Test("the last attempt of a suspended password requires the other password first")
  func suspended() throws {
    var terminal = try TestTerminal(.mechanisms)
    let offer = try #require(terminal.chip.profile.pace.first { $0.parameters.identifier == 13 })
    let wrong = Array("000000".utf8)
    var chosen = ""
    #expect(try terminal.pace(offer, .can, secret: wrong, chosen: &chosen) == "63C2" && chosen == "9000")
    #expect(try terminal.pace(offer, .can, secret: wrong, chosen: &chosen) == "63C1" && chosen == "63C2")
    #expect(try terminal.pace(offer, .can, chosen: &chosen) == "6985" && chosen == "63C1")
    #expect(try terminal.pace(offer, .mrz) == "9000")
    #expect(try terminal.pace(offer, .can, chosen: &chosen) == "9000" && chosen == "63C1")
    #expect(try terminal.read(0x1C).count > 100, "the new session")
    var fresh = TestTerminal(chip: terminal.chip)
    fresh.chip.reset()
    #expect(try fresh.pace(offer, .can, chosen: &chosen) == "9000" && chosen == "9000")
  }

  @Test(
    "MSE:Set AT returns a different status for each kind of error",
    arguments: [
      ("0022C1A40F800A04007F00070202040202830103", "6A88"), ("0022C1A40C800A04007F00070202040202", "6A88"),
      ("0022C1A40F800A04007F00070202040302830101", "6A80"), ("0022C1A403830101", "6A80"),
      ("0022C1A40A80", "6700"), ("0022C1A4028005", "6A80"), ("002201A403830101", "6A86"),
      ("10860000027C0000", "6985"), ("00860100027C0000", "6A86"),
    ])
  func choice(_ command: String, _ status: String) throws {
    var terminal = try TestTerminal(try #require(ChipProfile(named: "austria-2023")))
    #expect(terminal.chip.process(try #require([UInt8](hexadecimal: command))).hexadecimal == status)
  }

  @Test("the class byte of the steps of PACE must be correct")
  func steps() throws {
    for (last, status) in [(false, "6985"), (true, "6883")] {
      var terminal = try TestTerminal(try #require(ChipProfile(named: "austria-2023")))
      let choose = try #require([UInt8](hexadecimal: "0022C1A40F800A04007F00070202040202830101"))
      #expect(terminal.chip.process(choose).hexadecimal == "9000")
      if last {
        let vector = try #require(CardPACETests.recorded.first)
        terminal = TestTerminal(chip: try CardPACETests.chip(vector))
        #expect(terminal.chip.process(try CardPACETests.choice(vector)).hexadecimal == "9000")
        for step in CardPACETests.steps(vector).prefix(3) { _ = terminal.chip.process(step["command"].bytes) }
        var step = try #require(CardPACETests.steps(vector).last)["command"].bytes
        step[0] = 0x10
        #expect(terminal.chip.process(step).hexadecimal == status)
      } else {
        #expect(terminal.chip.process([0x00, 0x86, 0, 0, 2, 0x7C, 0, 0]).hexadecimal == status)
      }
    }
  }

  // MARK: - Command chaining

  @Test("accepts chained commands, including those of PACE with long keys")
  func chaining() throws {
    var chip = try Chip(profile: .mechanisms, files: SpecimenDocument(profile: .mechanisms).files)
    func status(_ text: String) throws -> String {
      let command = try #require([UInt8](hexadecimal: text))
      return chip.process(command).suffix(2).hexadecimal
    }
    #expect(try status("10A4040C03A00000") == "9000" && status("00A4040C0402471001") == "9000")
    #expect(chip.state.isApplicationSelected)
    // A different command discards the incomplete chain.
    #expect(try status("10A4040C03A00000") == "9000" && status("00B09E0000") == "6982")
    // DH with 2048 bits, through commands and answers of 255 bytes.
    let offer = try #require(chip.profile.pace.first { $0.parameters.identifier == 1 && $0.mapping == .generic })
    let group = try offer.parameters.group()
    let objects =
      BERTLV.encode(0x80, offer.objectIdentifier) + [0x83, 1, 1, 0x84, 1, UInt8(offer.parameterIdentifier)]
    #expect(chip.process([0x00, 0x22, 0xC1, 0xA4, UInt8(objects.count)] + objects).hexadecimal == "9000")
    #expect(try status("10860000027C0000") == "9000")
    let key = try group.publicKey(of: group.randomExponent())
    let data = BERTLV.encode(0x7C, BERTLV.encode(0x81, key))
    #expect(chip.process([0x10, 0x86, 0, 0, 200] + data.prefix(200)).hexadecimal == "9000")
    let end = data.dropFirst(200)
    let answer = chip.process([0x10, 0x86, 0, 0, UInt8(end.count)] + end + [0])
    // One key in 256 is a byte shorter: an unsigned integer of minimum length.
    let left = try #require(answer.last)
    #expect(answer.count == 258 && answer[256] == 0x61 && (1...8).contains(left))
    let rest = chip.process([0x00, 0xC0, 0, 0, left])
    #expect(rest.count == Int(left) + 2 && rest.suffix(2).hexadecimal == "9000")
    let whole = try BERTLV.value(of: 0x82, in: BERTLV.value(of: 0x7C, in: (answer.dropLast(2) + rest.dropLast(2))[...]))
    try group.check(Array(whole))
  }

  @Test("refuses a protected response longer than Le, as documents with extended length do")
  func longAnswer() throws {
    var terminal = try TestTerminal(.mechanisms)
    #expect(try terminal.pace(try #require(terminal.chip.profile.pace.first)) == "9000")
    _ = try terminal.selectApplication()
    let challenge = [UInt8](repeating: 3, count: 8)
    // The signature has 256 bytes, and secure messaging adds to it.
    let short = try terminal.send([0x00, 0x88, 0, 0], challenge, 256)
    #expect(short.status == "6700" && short.data.isEmpty)
    let extended = try terminal.send([0x00, 0x88, 0, 0], challenge, 257)
    #expect(extended.status == "9000" && extended.data.count == 256)
    // Without extended length, GET RESPONSE returns the rest.
    var profile = ChipProfile.mechanisms
    profile.responseLimit = 256
    terminal = try TestTerminal(profile)
    #expect(try terminal.pace(try #require(terminal.chip.profile.pace.first)) == "9000")
    _ = try terminal.selectApplication()
    #expect(try terminal.send([0x00, 0x88, 0, 0], challenge, 256).data.count == 256)
  }

  // MARK: - Terminal Authentication

  /// Performs Terminal Authentication up to MSE:Set AT.
  static func present(
    _ specimen: SpecimenTerminal, to terminal: inout TestTerminal, certificates: [[UInt8]]? = nil
  ) throws -> (key: [UInt8], statuses: [String]) {
    #expect(
      try terminal.pace(try #require(terminal.chip.profile.pace.first { $0.parameters.identifier == 13 })) == "9000")
    _ = try terminal.selectApplication()
    let offer = try #require(terminal.chip.profile.chipAuthentication.first { $0.cipher == .aes128 })
    let key = try #require(try terminal.authenticateChip(offer))
    let reference = try BERTLV.value(of: 0x42, in: terminal.read(0x1C)[...])
    var statuses: [String] = []
    var name = Array(reference)
    for certificate in certificates ?? specimen.certificates {
      statuses.append(try terminal.send([0x00, 0x22, 0x81, 0xB6], BERTLV.encode(0x83, name)).status)
      let content = try BERTLV.value(of: 0x7F21, in: certificate[...])
      statuses.append(try terminal.send([0x00, 0x2A, 0x00, 0xBE], Array(content)).status)
      let body = try BERTLV.sequence(BERTLV.value(of: 0x7F4E, in: content))
      name = Array(try #require(body.first { $0.tag == 0x5F20 }).value)
    }
    statuses.append(try terminal.send([0x00, 0x22, 0x81, 0xA4], BERTLV.encode(0x83, name)).status)
    return (key, statuses)
  }

  static func prove(_ specimen: SpecimenTerminal, to terminal: inout TestTerminal, key: [UInt8]) throws -> String {
    let challenge = try terminal.send([0x00, 0x84, 0, 0], [], 8).data
    #expect(challenge.count == 8)
    let signer = try SigningKey(pkcs8: SecretBytes(specimen.privateKey))
    let digest = try HashAlgorithm.sha256.digest(of: terminal.chipIdentifier + challenge + key)
    return try terminal.send([0x00, 0x82, 0, 0], signer.sign(digest: digest).raw).status
  }

  @Test("DG3 and DG4 are readable only with the rights of the certificates", arguments: [0, 1, 2, 3] as [UInt8])
  func terminalAuthentication(_ rights: UInt8) throws {
    var terminal = try TestTerminal(.mechanisms)
    let specimen = try SpecimenTerminal(rights: rights)
    let (key, statuses) = try Self.present(specimen, to: &terminal)
    #expect(statuses == ["9000", "9000", "9000", "9000", "9000"])
    #expect(try terminal.read(3).isEmpty && terminal.read(4).isEmpty, "not yet")
    #expect(try Self.prove(specimen, to: &terminal, key: key) == "9000")
    #expect(try terminal.read(3).isEmpty == (rights & 1 == 0) && terminal.read(4).isEmpty == (rights & 2 == 0))
    #expect(try terminal.read(1).count == 93)
  }

  @Test("wrong signatures, and changed, expired and missing certificates give no rights")
  func terminalRefused() throws {
    let specimen = try SpecimenTerminal()
    var terminal = try TestTerminal(.mechanisms)
    var (key, statuses) = try Self.present(specimen, to: &terminal)
    #expect(try Self.prove(specimen, to: &terminal, key: key.reversed()) == "6300")
    #expect(try terminal.send([0x00, 0x82, 0, 0], [1]).status == "6985", "a challenge is valid once")

    terminal = try TestTerminal(.mechanisms)
    (key, statuses) = try Self.present(specimen, to: &terminal, certificates: [specimen.certificates[1]])
    #expect(statuses == ["9000", "6300", "6A88"], "not signed by the authority")

    terminal = try TestTerminal(.mechanisms)
    var changed = specimen.certificates
    changed[1][changed[1].count - 1] ^= 0x01
    (key, statuses) = try Self.present(specimen, to: &terminal, certificates: changed)
    #expect(statuses == ["9000", "9000", "9000", "6300", "6A88"])

    terminal = try TestTerminal(.mechanisms)
    (key, statuses) = try Self.present(SpecimenTerminal(expiration: "241231"), to: &terminal)
    #expect(statuses == ["9000", "9000", "9000", "6300", "6A88"], "before the chip's date")
  }

  // MARK: - Hostile terminals

  @Test("random commands under secure messaging never trap", arguments: ["all", "germany-2023", "dh"])
  func random(_ name: String) throws {
    let profile = try #require(ChipProfile(named: name))
    let files = try SpecimenDocument(profile: profile).files
    let offer = try #require(profile.pace.first)
    for _ in 0..<20 {
      var terminal = TestTerminal(chip: try Chip(profile: profile, files: files))
      #expect(try terminal.pace(offer) == "9000")
      _ = try terminal.selectApplication()
      for _ in 0..<100 {
        let header: [[UInt8]] = [
          [0x00, 0x22, 0xC1, 0xA4], [0x00, 0x22, 0x41, 0xA4], [0x00, 0x22, 0x41, 0xA6], [0x00, 0x22, 0x81, 0xB6],
          [0x00, 0x22, 0x81, 0xA4], [0x00, 0x86, 0x00, 0x00], [0x10, 0x86, 0x00, 0x00], [0x00, 0x88, 0x00, 0x00],
          [0x00, 0x2A, 0x00, 0xBE], [0x00, 0x82, 0x00, 0x00], [0x00, 0x84, 0x00, 0x00], [0x00, 0xB1, 0x00, 0x02],
          [0x00, 0xB0, 0x81, 0xFF], [0x10, 0xA4, 0x02, 0x0C], [0x00, 0xA4, 0x02, 0x0C],
        ]
        var data = (0..<Int.random(in: 0...80)).map { _ in UInt8.random(in: 0...255) }
        if Bool.random() {
          data = BERTLV.encode([0x7C, 0x54, 0x80, 0x83, 0x84, 0x91, 0x7F4E].randomElement() ?? 0, data)
        }
        let status = try terminal.send(header.randomElement() ?? [], data, Bool.random() ? 256 : nil).status
        #expect(status.count == 4)
      }
    }
  }
}
