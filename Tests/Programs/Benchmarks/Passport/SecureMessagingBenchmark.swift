import Tessera

/// Secure messaging only: 20 KB in blocks of 223 bytes, protecting commands and opening responses, without a channel
/// and a chip. The creation of the responses is not included.
enum SecureMessagingBenchmark {
  static func run() throws -> [Measurement] {
    try [(KeyDerivation.Cipher.tripleDES, "3DES", 0.8), (.aes128, "AES-128", 0.15)].map { cipher, name, goal in
      let conversation = try Conversation(cipher)
      let alone = try OpenSSLMessaging(cipher)
      let times = try ProcessorTime.medians(conversation.run) {
        for block in conversation.blocks { try alone.exchange(block) }
      }
      return Measurement(
        "secure messaging, 20 KB in blocks of 223 bytes, \(name)", times.ours, .milliseconds, floor: times.floor,
        of: "OpenSSL alone", goal: goal)
    }
  }

  /// The responses of a chip to the commands of one read.
  private struct Conversation {
    let blocks = ReadingMode.paceShort.blocks(of: [20_480])
    let keys: SessionKeys
    let answers: [ResponseAPDU]

    init(_ cipher: KeyDerivation.Cipher) throws {
      let (encryption, authentication) = (try RandomBytes.makeSecret(16), try RandomBytes.makeSecret(16))
      keys = SessionKeys(cipher: cipher, encryption: encryption, authentication: authentication)
      let blockSize = cipher == .tripleDES ? 8 : 16
      // Each command and each response increments the counter.
      answers = try blocks.enumerated().map { index, count in
        let number = index * 2 + 2
        let counter =
          [UInt8](repeating: 0, count: blockSize - 2) + [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        let plain = Padding.pad([UInt8](repeating: 7, count: count), to: blockSize)
        let objects: [UInt8]
        let mac: [UInt8]
        if cipher == .tripleDES {
          objects = Self.objects(try TripleDES(key: encryption).encrypt(plain))
          mac = try RetailMAC(key: authentication).mac(counter + objects)
        } else {
          let aes = try AES(key: encryption)
          let vector = try aes.encrypt(counter, initialisationVector: AES.zeroVector)
          objects = Self.objects(try aes.encrypt(plain, initialisationVector: vector))
          mac = try CMAC(key: authentication).mac(Padding.pad(counter + objects, to: blockSize))
        }
        return ResponseAPDU(data: objects + BERTLV.encode(0x8E, mac.prefix(8)), status: .success)
      }
    }

    private static func objects(_ cryptogram: [UInt8]) -> [UInt8] {
      BERTLV.encode(0x87, [0x01] + cryptogram) + BERTLV.encode(0x99, [0x90, 0x00])
    }

    func run() throws {
      var session = try keys.secureMessaging()
      var count = 0
      for (block, answer) in zip(blocks, answers) {
        let command = CommandAPDU(
          ins: 0xB0, p1: UInt8(count >> 8), p2: UInt8(truncatingIfNeeded: count), expectedLength: block)
        _ = try session.protect(command).encoded()
        count += try session.unprotect(answer).data.count
      }
      guard count == 20_480 else { throw ReadingBenchmark.WrongFiles() }
    }
  }
}
