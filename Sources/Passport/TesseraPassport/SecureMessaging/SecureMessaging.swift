import TesseraCore
import TesseraCryptography
import TesseraSmartCard

/// Secure messaging on the reader's side (Doc 9303-11, 9.8): protects commands, and verifies and decrypts responses. A
/// state machine without access to a channel. The caller must discard it after the first error.
package struct SecureMessaging {
  private let suite: any ProtectionSuite
  private var counter: [UInt8]

  init(suite: any ProtectionSuite, sendSequenceCounter: [UInt8]) {
    self.suite = suite
    counter = sendSequenceCounter
  }

  /// Block size of the cipher.
  package var blockSize: Int { suite.blockSize }

  private enum Tag {
    /// Padding indicator and cryptogram (even instruction bytes).
    static let cryptogram: UInt32 = 0x87
    /// Cryptogram of BER-TLV data (odd instruction bytes).
    static let cryptogramOfTLV: UInt32 = 0x85
    static let expectedLength: UInt32 = 0x97
    static let status: UInt32 = 0x99
    static let mac: UInt32 = 0x8E
  }

  /// The largest plaintext that fits a protected response of `limit` data bytes: 231 of 256 under 3DES.
  func largestPlaintext(inResponseOf limit: Int) -> Int {
    let fixed = 4 + 10 + 1 + 1  // status, MAC, the cryptogram's tag and its padding indicator
    func fits(_ blocks: Int) -> Bool {
      let value = blocks * suite.blockSize + 1
      let lengthField = value < 0x80 ? 1 : value < 0x100 ? 2 : 3
      return fixed + lengthField + blocks * suite.blockSize <= limit
    }
    var blocks = max(0, (limit - fixed) / suite.blockSize)
    while blocks > 0, !fits(blocks) { blocks -= 1 }
    return max(0, blocks * suite.blockSize - 1)  // at least one byte of padding
  }

  /// Maximum length of the data in a protected short command: 239 bytes; with a response, 223 bytes with AES and 231
  /// with 3DES.
  func largestCommandData(expectsAnswer: Bool) -> Int {
    // MAC, expected length, and the cryptogram's tag, length field and padding indicator.
    let room = 255 - 10 - (expectsAnswer ? 3 : 0) - 4
    return room / suite.blockSize * suite.blockSize - 1
  }

  /// Protects a command.
  package mutating func protect(_ command: CommandAPDU) throws -> CommandAPDU {
    increment()
    var protected = command
    protected.cla |= 0x0C
    // One buffer holds the input of the MAC; the data objects in it are then sent.
    var covered = counted(capacity: command.data.count + 3 * suite.blockSize)
    covered += [protected.cla, protected.ins, protected.p1, protected.p2]
    Padding.append(to: &covered, blockSize: suite.blockSize)
    let start = covered.count
    if !command.data.isEmpty {
      let cryptogram = try suite.encrypt(Padding.pad(command.data, to: suite.blockSize), counter: counter)
      if command.ins & 1 == 0 {
        BERTLV.appendHeader(Tag.cryptogram, length: 1 + cryptogram.count, to: &covered)
        covered.append(0x01)
      } else {
        BERTLV.appendHeader(Tag.cryptogramOfTLV, length: cryptogram.count, to: &covered)
      }
      covered += cryptogram
    }
    if let length = command.expectedLength {
      BERTLV.appendHeader(Tag.expectedLength, length: command.isExtended ? 2 : 1, to: &covered)
      if command.isExtended { covered.append(UInt8(length >> 8 & 0xFF)) }
      covered.append(UInt8(length & 0xFF))
    }
    let end = covered.count
    // Without data objects, the padding of the header is the only padding.
    if end > start { Padding.append(to: &covered, blockSize: suite.blockSize) }
    let mac = try suite.mac(padded: covered)
    protected.data = []
    protected.data.reserveCapacity(end - start + 2 + mac.count)
    protected.data += covered[start..<end]
    BERTLV.appendHeader(Tag.mac, length: mac.count, to: &protected.data)
    protected.data += mac
    protected.expectedLength = command.isExtended || protected.data.count > 255 ? 65_536 : 256
    return protected
  }

  /// Verifies the MAC of a protected response and decrypts the response.
  ///
  /// - Throws: `SecureMessagingError`, which ends the session.
  package mutating func unprotect(_ response: ResponseAPDU) throws -> ResponseAPDU {
    increment()
    guard !response.data.isEmpty else { throw SecureMessagingError.plainAnswer(response.status) }
    var rest = response.data[...]
    var cryptogram: BERTLV?
    var status: ArraySlice<UInt8>?
    while !rest.isEmpty {
      let position = rest.startIndex
      let object: BERTLV
      do {
        object = try BERTLV.take(from: &rest)
      } catch {
        throw SecureMessagingError.malformedResponse("not BER-TLV")
      }
      switch object.tag {
      case Tag.cryptogram, Tag.cryptogramOfTLV:
        // The status usually follows. The MAC covers both in their order, so that the other order is as good.
        guard cryptogram == nil else { throw SecureMessagingError.malformedResponse("cryptogram") }
        cryptogram = object
      case Tag.status:
        guard status == nil, object.value.count == 2 else { throw SecureMessagingError.malformedResponse("status") }
        status = object.value
      case Tag.mac:
        // The MAC covers all bytes before it; no byte may follow it.
        var covered = counted(capacity: position + suite.blockSize)
        covered += response.data[..<position]
        Padding.append(to: &covered, blockSize: suite.blockSize)
        guard constantTimeEqual(try suite.mac(padded: covered), object.value) else {
          throw SecureMessagingError.wrongMAC
        }
        guard rest.isEmpty else { throw SecureMessagingError.malformedResponse("bytes after the MAC") }
        return try open(cryptogram, status)
      default: throw SecureMessagingError.malformedResponse("unknown data object")
      }
    }
    throw SecureMessagingError.malformedResponse("no MAC")
  }

  /// The status word in the response counts, since the MAC covers it. The one outside may be any other.
  private func open(_ cryptogram: BERTLV?, _ status: ArraySlice<UInt8>?) throws -> ResponseAPDU {
    guard let status else { throw SecureMessagingError.malformedResponse("no status") }
    let inner = StatusWord(status.reduce(0) { $0 << 8 | UInt16($1) })
    guard let cryptogram else { return ResponseAPDU(status: inner) }
    var blocks = cryptogram.value
    if cryptogram.tag == Tag.cryptogram {
      guard blocks.popFirst() == 0x01 else { throw SecureMessagingError.malformedResponse("padding indicator") }
    }
    guard !blocks.isEmpty, blocks.count.isMultiple(of: suite.blockSize),
      let data = Padding.unpad(try suite.decrypt(blocks, counter: counter))
    else { throw SecureMessagingError.malformedResponse("padding") }
    return ResponseAPDU(data: data, status: inner)
  }

  /// The start of a MAC's input, which is the counter, with capacity for `capacity` more bytes.
  private func counted(capacity: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(counter.count + capacity)
    bytes += counter
    return bytes
  }

  /// Increments the counter as `protect` does, to verify a stored response without its command.
  mutating func skipCommand() { increment() }

  /// Increments the counter as `unprotect` does, to protect a command before the response to the last one is known.
  package mutating func skipResponse() { increment() }

  /// The counter is incremented before each command and each response.
  private mutating func increment() {
    for index in counter.indices.reversed() {
      counter[index] &+= 1
      if counter[index] != 0 { return }
    }
  }
}

/// The reason why a secure messaging session ended (Doc 9303-11, 9.8). Every case ends the session.
public enum SecureMessagingError: Error, Sendable, Equatable {
  /// The chip sent an unprotected response.
  case plainAnswer(StatusWord)
  case malformedResponse(String)
  case wrongMAC
}

extension SecureMessagingError: LocalizedFailure {
  public var failure: Failure {
    let cause =
      switch self {
      case .plainAnswer(let status):
        "The chip ended secure messaging: it sent an unprotected response with status \(status)."
      case .malformedResponse(let part):
        "The chip's protected response is malformed (\(part)), so secure messaging was ended."
      case .wrongMAC:
        "The chip's response has a wrong message authentication code, so secure messaging was ended."
      }
    return Failure(.protocolViolation, cause, remedy: PassportError.retryRemedy)
  }
}
