import Synchronization
import TesseraSmartCard

/// Answers vpcd's messages with a chip. The chip keeps its state when a fault removes and replaces the card.
final class ServedChip: Sendable {
  private struct Content {
    var chip: Chip
    var exchanges = 0
  }

  private let content: Mutex<Content>

  init(_ chip: sending Chip) { content = Mutex(Content(chip: chip)) }

  enum Answer {
    case nothing
    case bytes([UInt8])
    /// The card is removed for this time.
    case removed(Duration)
  }

  /// A single byte is a control code; everything longer is a command APDU.
  func answer(_ message: [UInt8]) -> Answer {
    content.withLock { content in
      guard message.count == 1 else {
        defer { content.exchanges += 1 }
        if let absence = content.chip.profile.fault?.absence(at: content.exchanges) {
          content.chip.reset()
          return .removed(absence)
        }
        return .bytes(content.chip.process(message))
      }
      switch message[0] {
      case 0, 1, 2:  // power off, power on, reset
        content.chip.reset()
        return .nothing
      case 4: return .bytes(content.chip.answerToReset.bytes)
      default: return .nothing
      }
    }
  }
}
