import TesseraSmartCard

@testable import TesseraVirtualChip

/// A chip whose responses are changed or replaced by the input. At the end of the input the chip's own responses
/// follow.
///
/// `@unchecked Sendable`: the card conversation runs on the calling thread only.
final class HostileChannel: CardChannel, @unchecked Sendable {
  private var chip: Chip
  private var parts: Parts
  private var honest = 0
  private var exchanges = 0

  /// More than a read of a specimen needs; limits the time of a chip that returns single bytes.
  private static let mostExchanges = 2000

  init(_ chip: Chip, _ parts: Parts) {
    self.chip = chip
    self.parts = parts
  }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    exchanges += 1
    guard exchanges <= Self.mostExchanges else { throw CardError.cardRemoved }
    guard honest == 0, !parts.isEmpty else {
      honest -= honest > 0 ? 1 : 0
      return chip.process(command)
    }
    let kind = parts.byte()
    switch kind & 0x07 {
    case 0:
      honest = kind >> 3
      return chip.process(command)
    case 1: return parts.piece()
    case 2: return changed(chip.process(command))
    case 3: return Array(chip.process(command).prefix(parts.byte()))
    case 4: return chip.process(command).dropLast(2) + [UInt8(parts.byte()), UInt8(parts.byte())]
    case 5: throw CardError.cardRemoved
    default: return inner(command)
    }
  }

  private func changed(_ answer: [UInt8]) -> [UInt8] {
    guard !answer.isEmpty else { return answer }
    var answer = answer
    answer[(parts.byte() << 8 | parts.byte()) % answer.count] ^= UInt8(parts.byte())
    return answer
  }

  /// The response of the input, protected with the chip's session keys: a genuine but hostile chip.
  private func inner(_ command: [UInt8]) -> [UInt8] {
    let piece = parts.piece()
    guard var messaging = chip.state.session.messaging, let sent = CardCommand(command),
      let plain = try? messaging.open(sent), let response = try? ResponseAPDU(piece),
      let answer = try? messaging.close(response, ins: plain.ins)
    else { return piece }
    chip.state.session.messaging = messaging
    return answer.encoded
  }
}
