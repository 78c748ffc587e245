import TesseraSmartCard

@testable import TesseraCryptography
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Secure messaging with fixed keys: the reader receives responses, the chip commands, unchanged or with a corrected
/// MAC, so that the code behind the MAC is reached too. The first byte selects the cipher, the second one the input.
enum SecureMessagingHarness: Harness {
  static let name = "secure-messaging"

  private static let ciphers = KeyDerivation.Cipher.allCases

  static func seeds() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for (index, cipher) in ciphers.enumerated() {
      let head = [UInt8(index)]
      for (name, ins, data) in [("even", 0xB0, [1, 2, 3, 4]), ("odd", 0xB1, [0x53, 1, 9]), ("empty", 0xB0, [])]
        as [(String, UInt8, [UInt8])]
      {
        var chip = try chip(cipher)
        let answer = try chip.close(ResponseAPDU(data: data, status: .success), ins: ins)
        seeds["answer-\(name)-\(index)"] = head + [0] + answer.encoded
        seeds["objects-\(name)-\(index)"] = head + [1] + answer.data.dropLast(10) + [0x90, 0x00]
        var reader = try reader(cipher)
        let command = try reader.protect(CommandAPDU(ins: ins, p1: 0, p2: 0, data: data, expectedLength: 32))
        seeds["command-\(name)-\(index)"] = head + [2] + (try command.encoded())
        seeds["command-objects-\(name)-\(index)"] = head + [3, 0x0C, ins, 0, 0] + command.data.dropLast(10)
      }
      seeds["plain-\(index)"] = head + [4] + Array("plain".utf8)
    }
    // Doc 9303-11, appendix D.4: the answers to SELECT EF.COM and READ BINARY.
    seeds["doc-select"] = [0, 5] + .digits("990290008E08FA855A5D4C50A8ED9000")
    seeds["doc-read"] = [0, 6] + .digits("8709019FF0EC34F9922651990290008E08AD55CC17140B2DED9000")
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    let cipher = parts.choice(ciphers)
    let kind = parts.byte() % 7
    let bytes = parts.all()
    switch kind {
    case 0:
      var reader = try reader(cipher)
      let answer = try reader.unprotect(ResponseAPDU(bytes))
      property(answer.data.count < bytes.count, "a plain answer is shorter")
    case 1: try readBehindMAC(bytes, cipher)
    case 2:
      guard let command = CardCommand(bytes) else { return }
      var chip = try chip(cipher)
      _ = CardSecureMessaging.isWhole(command)
      _ = try chip.open(command)
    case 3: try openBehindMAC(bytes, cipher)
    case 4: try exchange(bytes, cipher)
    default:
      // The session of appendix D.4.
      var reader = SecureMessaging(
        suite: try TripleDESSuite(
          encryptionKey: SecretBytes([UInt8].digits("979EC13B1CBFE9DCD01AB0FED307EAE5")),
          authenticationKey: SecretBytes([UInt8].digits("F1CB1F1FB5ADF208806B89DC579DC1F8"))),
        sendSequenceCounter: .digits(kind == 5 ? "887022120C06C227" : "887022120C06C229"))
      _ = try reader.unprotect(ResponseAPDU(bytes))
    }
  }

  // MARK: - Both sides

  private static let secret = SecretBytes([UInt8](repeating: 0x5A, count: 32))

  private static func keys(_ cipher: KeyDerivation.Cipher) throws -> SessionKeys {
    try SessionKeys(cipher: cipher, sharedSecret: secret)
  }

  private static func reader(_ cipher: KeyDerivation.Cipher) throws -> SecureMessaging {
    try keys(cipher).secureMessaging()
  }

  private static func chip(_ cipher: KeyDerivation.Cipher) throws -> CardSecureMessaging {
    try CardSecureMessaging(secret: secret, cipher: cipher)
  }

  private static func suite(_ cipher: KeyDerivation.Cipher) throws -> any ProtectionSuite {
    let keys = try keys(cipher)
    return cipher == .tripleDES
      ? try TripleDESSuite(encryptionKey: keys.encryption, authenticationKey: keys.authentication)
      : try AESSuite(encryptionKey: keys.encryption, authenticationKey: keys.authentication)
  }

  /// The counter of the first message.
  private static func counter(_ suite: any ProtectionSuite) -> [UInt8] {
    [UInt8](repeating: 0, count: suite.blockSize - 1) + [1]
  }

  private static func readBehindMAC(_ bytes: [UInt8], _ cipher: KeyDerivation.Cipher) throws {
    let response = try ResponseAPDU(bytes)
    let suite = try suite(cipher)
    let covered = Padding.pad(counter(suite) + response.data, to: suite.blockSize)
    let whole = response.data + BERTLV.encode(0x8E, try suite.mac(padded: covered))
    var reader = try reader(cipher)
    do {
      _ = try reader.unprotect(ResponseAPDU(data: whole, status: response.status))
    } catch SecureMessagingError.wrongMAC {
      // Only if another MAC object precedes it.
      let objects = try BERTLV.sequence(response.data[...])
      property(objects.contains { $0.tag == 0x8E }, "the MAC is right")
    }
  }

  private static func openBehindMAC(_ bytes: [UInt8], _ cipher: KeyDerivation.Cipher) throws {
    guard bytes.count >= 4 else { return }
    let suite = try suite(cipher)
    let header = Array(bytes.prefix(4))
    let objects = Array(bytes.dropFirst(4))
    var covered = counter(suite) + Padding.pad(header, to: suite.blockSize)
    if !objects.isEmpty {
      covered += objects
      Padding.append(to: &covered, blockSize: suite.blockSize)
    }
    let data = objects + BERTLV.encode(0x8E, try suite.mac(padded: covered))
    var chip = try chip(cipher)
    _ = try chip.open(CardCommand(header: header, data: data, expectedLength: 256, isExtended: false))
  }

  /// Sends the bytes as a command and returns them as a response.
  private static func exchange(_ bytes: [UInt8], _ cipher: KeyDerivation.Cipher) throws {
    var reader = try reader(cipher)
    var chip = try chip(cipher)
    for ins: UInt8 in [0xB0, 0xB1] {
      let command = CommandAPDU(ins: ins, p1: 1, p2: 2, data: bytes, expectedLength: 200)
      guard let sent = CardCommand(try reader.protect(command).encoded()) else {
        return property(false, "a protected command is a command")
      }
      let opened = try? chip.open(sent)
      property(opened?.data == bytes && opened?.expectedLength == 200, "the chip has the command")
      let answer = ResponseAPDU(data: bytes, status: .endOfFile)
      let closed = try chip.close(answer, ins: ins)
      property((try? reader.unprotect(closed)) == answer, "the reader has the answer")
    }
  }
}
