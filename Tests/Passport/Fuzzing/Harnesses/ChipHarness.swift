import TesseraSmartCard

@testable import TesseraCryptography
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// A chip and a sequence of commands. The first byte selects the profile, the second one the state of the session. Each
/// command has one byte that selects secure messaging, and two bytes of length.
enum ChipHarness: Harness {
  static let name = "chip"

  /// Each with a valid document.
  ///
  /// `nonisolated(unsafe)`: the values are copied before every use, and their type is not `Sendable`.
  nonisolated(unsafe) static let chips: [Chip] = [
    "bac", "open", "bac-extended", "germany-2023", "all", "russia-2020", "china-2018", "dh",
  ]
  .compactMap { name in
    guard let profile = ChipProfile(named: name), let files = try? SpecimenDocument(profile: profile).files else {
      return nil
    }
    return try? Chip(profile: profile, files: files)
  }

  /// More commands reach no new states.
  private static let mostCommands = 64

  static func seeds() throws -> [String: [UInt8]] {
    func commands(_ isProtected: Bool, _ texts: [String]) -> [UInt8] {
      texts.flatMap { [isProtected ? 1 : 0] + Parts.piece(.digits($0)) }
    }
    let select = "00A4040C07A0000002471001"
    let basic = [select, "0084000008", "0082000028" + String(repeating: "5A", count: 40) + "28"]
    let open = [select, "00B0811E00", "00A4020C020101", "00B0000000"]
    let chained = ["10A4040C03A00000", "00A4040C0402471001", "00C0000000"]
    let files = ["00A4020C02011E", "00B0000006", "00B0811E00", "00B1000004540201F000", "00B08E000000"]
    let pace = [
      "0022C1A40F800A04007F00070202040202830101", "10860000027C0000", "10860000047C02810000", "00860000047C02850000",
    ]
    let oneStep = ["002241A60F910D04" + String(repeating: "01", count: 12)]
    let twoSteps = ["002241A40C800A04007F00070202030202", "00860000047C02800000"]
    let terminal = [
      "002281B610830E5554544553534552413030303031", "002A00BE057F4E005F3700", "0084000008", "008200000101",
    ]
    return [
      "plain": [0, 0] + commands(false, basic), "open": [1, 0] + commands(false, open),
      "files": [0, 1] + commands(true, files), "extended": [2, 2] + commands(true, files + ["00B081000000FFFF"]),
      "pace": [3, 0] + commands(false, ["00B09C0000"] + pace), "pace-all": [4, 0] + commands(false, pace),
      "chip-key": [5, 1] + commands(true, oneStep + twoSteps), "terminal": [4, 3] + commands(true, terminal),
      "active": [6, 1] + commands(true, ["0088000008010203040506070800"]),
      "chained": [3, 0] + commands(false, chained),
    ]
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    var chip = parts.choice(chips)
    var reader = try begin(&chip, parts.byte() % 5)
    for _ in 0..<mostCommands where !parts.isEmpty {
      let isProtected = parts.byte() & 1 == 1
      let bytes = parts.piece()
      guard isProtected, let command = CardCommand(bytes) else {
        _ = answer(of: &chip, to: bytes)
        continue
      }
      let plain = CommandAPDU(
        cla: command.cla & 0xF0, ins: command.ins, p1: command.p1, p2: command.p2, data: command.data,
        expectedLength: command.expectedLength)
      guard let sent = try? reader?.protect(plain).encoded() else { continue }
      let response = answer(of: &chip, to: sent)
      // After new session keys or the end of the session this reader cannot continue.
      if (try? reader?.unprotect(response)) == nil { reader = nil }
    }
  }

  private static func answer(of chip: inout Chip, to bytes: [UInt8]) -> ResponseAPDU {
    let bytes = chip.process(bytes)
    guard let response = try? ResponseAPDU(bytes) else { fatalError("property violated: a response has a status word") }
    property(response.data.count <= 65_536, "an answer has at most 65,536 bytes")
    return response
  }

  /// Sets a state that would otherwise need many commands: 0 powered up, 1 a session with 3DES, 2 with AES-128, 3 with
  /// AES-256 after Chip Authentication, 4 with all rights of a terminal.
  private static func begin(_ chip: inout Chip, _ stage: Int) throws -> SecureMessaging? {
    guard stage > 0 else { return nil }
    let cipher: KeyDerivation.Cipher = stage == 1 ? .tripleDES : stage == 2 ? .aes128 : .aes256
    let secret = SecretBytes([UInt8](repeating: 0x5A, count: 32))
    chip.state.isApplicationSelected = true
    chip.state.session.messaging = try CardSecureMessaging(secret: secret, cipher: cipher)
    chip.state.session.password = .can
    chip.state.session.chipIdentifier = [1, 2, 3]
    if stage >= 3 { chip.state.session.terminalKey = [UInt8](repeating: 7, count: 32) }
    if stage == 4 { chip.state.session.rights = 0x3F }
    return try SessionKeys(cipher: cipher, sharedSecret: secret).secureMessaging()
  }
}
