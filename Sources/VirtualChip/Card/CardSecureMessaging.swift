import Cryptography
import SmartCard

/// The card's side of secure messaging with 3DES (Doc 9303-11, 9.8), written apart from the reader's.
struct CardSecureMessaging {
  private let cipher: TripleDES
  private let authenticator: RetailMAC
  private var sendSequenceCounter: UInt64

  init(sessionSeed: SecretBytes, sendSequenceCounter: UInt64) throws {
    cipher = try TripleDES(key: KeyDerivation.derive(sessionSeed, .encryption, for: .tripleDES))
    authenticator = try RetailMAC(key: KeyDerivation.derive(sessionSeed, .authentication, for: .tripleDES))
    self.sendSequenceCounter = sendSequenceCounter
  }

  /// Why a protected command is refused; each ends the session.
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

  private var counterBytes: [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: sendSequenceCounter >> ($0 * 8)) }
  }

  /// The command inside a protected one.
  mutating func open(_ command: CardCommand) throws -> CardCommand {
    sendSequenceCounter &+= 1
    guard let objects = try? BERTLV.sequence(command.data[...]) else { throw Refusal.objectsIncorrect }
    guard let mac = objects.last, mac.tag == 0x8E else { throw Refusal.objectsMissing }
    let signed = command.data.prefix(command.data.count - mac.value.count - 2)
    let input = counterBytes + Padding.pad(command.header, to: 8) + signed
    guard try authenticator.verify(mac.value, over: input) else { throw Refusal.objectsIncorrect }

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

  private func decrypt(_ blocks: ArraySlice<UInt8>) throws -> [UInt8] {
    guard !blocks.isEmpty, blocks.count.isMultiple(of: 8), let data = Padding.unpad(try cipher.decrypt(blocks)) else {
      throw Refusal.objectsIncorrect
    }
    return data
  }

  /// The most plaintext that a protected response of `limit` data bytes can carry.
  static func capacity(of limit: Int) -> Int {
    // 4 bytes of status object and 10 of MAC; the cryptogram has tag, length field and padding indicator.
    let lengthField = limit - 14 < 0x80 ? 1 : limit - 14 < 0x100 + 3 ? 2 : 3
    return max(0, (limit - 14 - 2 - lengthField) / 8 * 8 - 1)
  }

  /// The protected response.
  ///
  /// - Parameter ins: the command's instruction byte; an odd one is answered with BER-TLV, which has no padding
  ///   indicator.
  mutating func close(_ response: ResponseAPDU, ins: UInt8) throws -> ResponseAPDU {
    sendSequenceCounter &+= 1
    var objects: [UInt8] = []
    if !response.data.isEmpty {
      let cryptogram = try cipher.encrypt(Padding.pad(response.data, to: 8))
      objects += ins & 1 == 0 ? BERTLV.encode(0x87, [0x01] + cryptogram) : BERTLV.encode(0x85, cryptogram)
    }
    objects += [0x99, 0x02, response.status.sw1, response.status.sw2]
    let mac = try authenticator.mac(counterBytes + objects)
    return ResponseAPDU(data: objects + BERTLV.encode(0x8E, mac), status: response.status)
  }
}
