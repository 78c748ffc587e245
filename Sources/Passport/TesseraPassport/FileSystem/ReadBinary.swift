import TesseraSmartCard

/// One READ BINARY command. Offsets beyond 15 bits need the odd instruction, which carries the offset in a data object
/// and wraps the response in one (ISO/IEC 7816-4, 7.2.2; Doc 9303-10, 3.6.4.2).
package struct ReadBinary {
  package enum Address {
    /// The first bytes of the file with this short file identifier, which becomes the current file.
    case shortIdentifier(UInt8)
    /// Bytes of the current file.
    case offset(Int)

    package var isOffset: Bool { if case .offset = self { true } else { false } }
  }

  package let address: Address
  /// The expected length of the response, the data object of the odd instruction included.
  package let count: Int

  package init(address: Address, count: Int) {
    self.address = address
    self.count = count
  }

  /// The longest tag and length of the data object around the response to the odd instruction, in bytes.
  static let largestObjectHeader = 4

  static func needsOddInstruction(_ offset: Int) -> Bool { offset > 0x7FFF }

  /// How a chip returns blocks by the odd instruction: in the data object, or without it, as some do.
  package enum BlockForm { case unknown, object, bare }

  private var isOdd: Bool {
    switch address {
    case .shortIdentifier: false
    case .offset(let offset): Self.needsOddInstruction(offset)
    }
  }

  package var command: CommandAPDU {
    switch address {
    case .shortIdentifier(let identifier):
      CommandAPDU(ins: 0xB0, p1: 0x80 | identifier, p2: 0, expectedLength: count)
    case .offset(let offset) where !Self.needsOddInstruction(offset):
      CommandAPDU(ins: 0xB0, p1: UInt8(offset >> 8), p2: UInt8(offset & 0xFF), expectedLength: count)
    case .offset(let offset):
      CommandAPDU(
        ins: 0xB1, p1: 0, p2: 0,
        data: BERTLV.encode(0x54, [UInt8(offset >> 16 & 0xFF), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF)]),
        expectedLength: count)
    }
  }

  /// The bytes of the file in a response, without the data object of the odd instruction, and without any bytes beyond
  /// those requested: these may be the next bytes of the file or anything else.
  ///
  /// - Parameter form: of this chip's blocks; set by the first response that shows it.
  /// - Throws: `PassportError.malformedResponse`.
  func fileBytes(of answer: ResponseAPDU, _ form: inout BlockForm) throws -> ResponseAPDU {
    guard isOdd, !answer.data.isEmpty else { return answer.prefix(requestedFileBytes) }
    if form == .unknown {
      // A block of the file may begin like the data object, but it hardly fills it exactly.
      if (try? BERTLV.header(of: answer.data[...])).map({ $0.tag == 0x53 && $0.totalLength == answer.data.count })
        == true
      {
        form = .object
      } else if answer.data[0] != 0x53 {
        form = .bare
      }
    }
    if form == .bare { return answer.prefix(count) }
    var block = answer
    guard form == .object, let content = try? BERTLV.value(of: 0x53, in: answer.data[...]) else {
      throw PassportError.malformedResponse(operation: "READ BINARY with an odd instruction")
    }
    block.data = Array(content)
    return block.prefix(requestedFileBytes)
  }

  /// The bytes of the file in a response of `count` bytes.
  package var requestedFileBytes: Int {
    guard isOdd else { return count }
    return max(0, count - (count < 0x82 ? 2 : count < 0x103 ? 3 : 4))
  }
}

extension ResponseAPDU {
  fileprivate func prefix(_ count: Int) -> ResponseAPDU {
    var answer = self
    answer.data = Array(data.prefix(count))
    return answer
  }
}
