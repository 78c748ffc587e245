/// A channel that sends commands that are too long for the reader as a chain of short ones (ISO/IEC 7816-4, 5.1.1.1):
/// all but the last have bit 5 of the class byte set.
///
/// For chips that announce chaining (`AnswerToReset.announcesCommandChaining`) or whose specification requires it.
/// Other chips refuse the class byte, or execute each part as a command.
///
/// Secure messaging has protected the command as a whole before. For a chip that expects each part to be protected,
/// split the command before protecting it.
package struct ChainingChannel: CardChannel {
  private let base: any CardChannel
  private let limit: Int

  /// - Parameters:
  ///   - base: the channel to the card.
  ///   - limit: The longest command APDU that `base` can send, for example `Card.commandLengthLimit`.
  package init(_ base: any CardChannel, commandLengthLimit limit: Int) {
    self.base = base
    self.limit = limit
  }

  /// - Throws: The errors of `base`; `CardError.commandTooLongForReader` for a long command that is not an extended
  ///   APDU with data.
  package func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    guard command.count > limit else { return try await base.transmit(command) }
    var answer: [UInt8] = []
    for part in try Self.parts(of: command, limit: limit) {
      answer = try await base.transmit(part)
      // The chip refused the chain: this is the response.
      guard try ResponseAPDU(answer).status == .success else { break }
    }
    return answer
  }

  package func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }

  /// The short commands that together contain the data of a long one.
  static func parts(of command: [UInt8], limit: Int) throws(CardError) -> [[UInt8]] {
    // Header, length field, at least one byte, Le.
    guard limit >= 7, command.count >= 7, command[4] == 0 else {
      throw .commandTooLongForReader(length: command.count, limit: limit)
    }
    let count = Int(command[5]) << 8 | Int(command[6])
    let rest = command[7...]
    guard count > 0, rest.count == count || rest.count == count + 2 else {
      throw .commandTooLongForReader(length: command.count, limit: limit)
    }
    let wantsAnswer = rest.count == count + 2
    // The short form cannot request more than 256 bytes; the chip answers with 61xx if there are more.
    let expected = rest.suffix(2).reduce(0) { $0 << 8 | Int($1) }
    let lengthField = (1...255).contains(expected) ? UInt8(expected) : 0
    var data = rest.prefix(count)
    var parts: [[UInt8]] = []
    while !data.isEmpty {
      let piece = data.prefix(min(255, limit - 6))
      data = data.dropFirst(piece.count)
      let isLast = data.isEmpty
      parts.append(
        [isLast ? command[0] : command[0] | 0x10] + command[1...3] + [UInt8(piece.count)] + piece
          + (isLast && wantsAnswer ? [lengthField] : []))
    }
    return parts
  }
}
