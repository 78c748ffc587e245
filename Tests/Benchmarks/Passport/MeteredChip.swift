import Glibc
import Tessera

/// A chip in this process whose own computing is told apart from the reader's.
///
/// Reader and chip take turns on one thread, so there is no waiting and no waking of threads to be counted. This thread's
/// time within the chip is taken out of the whole: what remains is the reader, with everything between the reader's
/// protocols and the channel, but without the kernel's part in talking to a device. The looks at the clock, two for each
/// exchange, are taken out too. What the chip does to the processor's caches stays in, to the reader's disadvantage.
///
/// `@unchecked Sendable`: one task on one thread uses it, which `transmit` makes sure of.
final class MeteredChip: CardChannel, @unchecked Sendable {
  private var chip: Chip
  private let thread = pthread_self()
  private(set) var exchanges = 0
  /// Nanoseconds that are not the reader's.
  private(set) var foreignTime = 0

  init(_ chip: Chip) { self.chip = chip }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    let start = ProcessorTime.now
    guard pthread_equal(thread, pthread_self()) != 0 else { throw ThreadChanged() }
    let answer = chip.process(command)
    exchanges += 1
    foreignTime += ProcessorTime.now - start + ProcessorTime.costOfLooking
    return answer
  }

  var card: Card {
    Card(
      channel: self, readerName: "bench", answerToReset: chip.answerToReset,
      extendedLengthLimit: chip.profile.announcesExtendedLength ? chip.profile.responseLimit : nil)
  }

  struct ThreadChanged: Error {}
}
