import TesseraCryptography
import TesseraSmartCard

/// The card's side of secure messaging (Doc 9303-11, 9.8), independent of the reader's implementation, so that one
/// tests the other.
struct CardSecureMessaging {
  private enum Suite {
    case tripleDES(TripleDES, RetailMAC)
    case aes(encryption: CardAES, authentication: CardAES)
  }

  private let suite: Suite
  private let blockSize: Int
  /// Big-endian, with the length of a block.
  private(set) var sendSequenceCounter: [UInt8]

  /// - Parameter counter: The initial send sequence counter; nil for zero.
  init(
    encryptionKey: SecretBytes, authenticationKey: SecretBytes, cipher: KeyDerivation.Cipher, counter: [UInt8]? = nil
  ) throws {
    blockSize = cipher.blockSize
    suite =
      switch cipher {
      case .tripleDES: .tripleDES(try TripleDES(key: encryptionKey), try RetailMAC(key: authenticationKey))
      case .aes128, .aes192, .aes256:
        .aes(encryption: try CardAES(key: encryptionKey), authentication: try CardAES(key: authenticationKey))
      }
    sendSequenceCounter = counter ?? [UInt8](repeating: 0, count: cipher.blockSize)
    guard sendSequenceCounter.count == cipher.blockSize else { throw CryptographyError.malformed("the counter") }
  }

  /// A session whose keys are derived from a shared secret.
  init(secret: SecretBytes, cipher: KeyDerivation.Cipher, counter: [UInt8]? = nil) throws {
    try self.init(
      encryptionKey: KeyDerivation.derive(secret, .encryption, for: cipher),
      authenticationKey: KeyDerivation.derive(secret, .authentication, for: cipher), cipher: cipher, counter: counter)
  }

  /// The session after Basic Access Control.
  init(sessionSeed: SecretBytes, sendSequenceCounter: UInt64) throws {
    let counter = (0..<8).reversed().map { UInt8(truncatingIfNeeded: sendSequenceCounter >> ($0 * 8)) }
    try self.init(secret: sessionSeed, cipher: .tripleDES, counter: counter)
  }

  /// The reason why a protected command is refused. A refusal ends the session.
  enum Refusal: Error {
    case objectsMissing
    case objectsIncorrect

    var status: StatusWord {
      switch self {
      case .objectsMissing: .secureMessagingObjectsMissing
      case .objectsIncorrect: .secureMessagingObjectsIncorrect
      }
    }
  }

  // MARK: - The suite

  private mutating func incrementCounter() {
    for index in sendSequenceCounter.indices.reversed() {
      sendSequenceCounter[index] &+= 1
      if sendSequenceCounter[index] != 0 { return }
    }
  }

  /// With AES the initialisation vector is the encrypted counter (Doc 9303-11, 9.8.6.3).
  private func encrypt(_ blocks: [UInt8]) throws -> [UInt8] {
    switch suite {
    case .tripleDES(let cipher, _): try cipher.encrypt(blocks)
    case .aes(let cipher, _): try cipher.encrypt(blocks, vector: cipher.encrypt(sendSequenceCounter))
    }
  }

  private func decrypt(_ blocks: ArraySlice<UInt8>) throws -> [UInt8] {
    guard !blocks.isEmpty, blocks.count.isMultiple(of: blockSize) else { throw Refusal.objectsIncorrect }
    let plain =
      switch suite {
      case .tripleDES(let cipher, _): try cipher.decrypt(blocks)
      case .aes(let cipher, _): try cipher.decrypt(blocks, vector: cipher.encrypt(sendSequenceCounter))
      }
    guard let data = Padding.unpad(plain) else { throw Refusal.objectsIncorrect }
    return data
  }

  /// - Parameter objects: The data objects after the padded header; if there are none, AES adds no second padding.
  private func mac(header: [UInt8], objects: some Collection<UInt8>) throws -> [UInt8] {
    let head = header.isEmpty ? [] : Padding.pad(header, to: blockSize)
    switch suite {
    case .tripleDES(_, let authenticator): return try authenticator.mac(sendSequenceCounter + head + objects)
    case .aes(_, let authenticator):
      let tail = objects.isEmpty ? [] : Padding.pad(objects, to: blockSize)
      return Array(try authenticator.cmac(sendSequenceCounter + head + tail).prefix(8))
    }
  }

  // MARK: - Commands and responses

  /// Whether the command's data end with a MAC. Otherwise it is a part of a protected command that was sent in a chain.
  static func isWhole(_ command: CardCommand) -> Bool {
    guard let objects = try? BERTLV.sequence(command.data[...]), let last = objects.last else { return false }
    return last.tag == 0x8E && last.value.count == 8
  }

  /// Verifies and decrypts a protected command.
  mutating func open(_ command: CardCommand) throws -> CardCommand {
    incrementCounter()
    guard let objects = try? BERTLV.sequence(command.data[...]) else { throw Refusal.objectsIncorrect }
    guard let mac = objects.last, mac.tag == 0x8E else { throw Refusal.objectsMissing }
    let signed = command.data.prefix(command.data.count - mac.value.count - 2)
    guard constantTimeEqual(try self.mac(header: command.header, objects: signed), mac.value) else {
      throw Refusal.objectsIncorrect
    }
    var data: [UInt8] = []
    var expectedLength: Int?
    for object in objects.dropLast() {
      switch object.tag {
      case 0x87 where command.ins & 1 == 0:
        guard object.value.first == 0x01 else { throw Refusal.objectsIncorrect }
        data = try decrypt(object.value.dropFirst())
      case 0x85 where command.ins & 1 == 1: data = try decrypt(object.value)
      case 0x97 where (1...2).contains(object.value.count):
        let value = object.value.reduce(0) { $0 << 8 | Int($1) }
        expectedLength = value == 0 ? (object.value.count == 1 ? 256 : 65_536) : value
      default: throw Refusal.objectsIncorrect
      }
    }
    let header = [command.cla & ~0x0C] + command.header.dropFirst()
    return CardCommand(header: header, data: data, expectedLength: expectedLength, isExtended: command.isExtended)
  }

  /// The maximum plaintext length of a protected response of `limit` data bytes.
  static func capacity(of limit: Int, blockSize: Int = TripleDES.blockSize) -> Int {
    // 4 bytes of status object, 10 of MAC, the cryptogram's tag and its padding indicator.
    let available = limit - 4 - 10 - 2
    func lengthField(_ blocks: Int) -> Int {
      let content = 1 + blocks * blockSize
      return content < 0x80 ? 1 : content < 0x100 ? 2 : 3
    }
    var blocks = max(0, available / blockSize)
    while blocks > 0, blocks * blockSize + lengthField(blocks) > available { blocks -= 1 }
    return max(0, blocks * blockSize - 1)  // at least one byte of padding
  }

  func capacity(of limit: Int) -> Int { Self.capacity(of: limit, blockSize: blockSize) }

  /// Encrypts and authenticates a response.
  ///
  /// - Parameters:
  ///   - ins: The command's instruction byte; with an odd one the cryptogram has no padding indicator.
  ///   - outerStatus: The unprotected status word; nil for the protected one.
  ///   - statusFirst: Whether the status object comes before the cryptogram.
  mutating func close(
    _ response: ResponseAPDU, ins: UInt8, outerStatus: StatusWord? = nil, statusFirst: Bool = false
  ) throws -> ResponseAPDU {
    incrementCounter()
    var objects: [UInt8] = []
    if !response.data.isEmpty {
      let cryptogram = try encrypt(Padding.pad(response.data, to: blockSize))
      objects += ins & 1 == 0 ? BERTLV.encode(0x87, [0x01] + cryptogram) : BERTLV.encode(0x85, cryptogram)
    }
    let status = [0x99, 0x02, response.status.sw1, response.status.sw2]
    objects = statusFirst ? status + objects : objects + status
    let mac = try mac(header: [], objects: objects)
    return ResponseAPDU(data: objects + BERTLV.encode(0x8E, mac), status: outerStatus ?? response.status)
  }
}
