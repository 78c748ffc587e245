import Glibc
import Tessera

/// A chip in this process whose processor time is measured separately from the reader's.
///
/// Reader and chip run alternately on one thread, so threads do not wait or wake each other. The time within the chip
/// is subtracted: the rest is the reader's time, from its protocols to the channel, without the kernel's part in
/// accessing a device. The two readings of the clock for each exchange are subtracted as well. The chip's effect on the
/// processor's caches remains included, to the disadvantage of the reader.
///
/// `@unchecked Sendable`: one task on one thread uses it, which `transmit` checks.
final class MeteredChip: CardChannel, @unchecked Sendable {
  private var chip: Chip
  private let thread = pthread_self()
  private(set) var exchanges = 0
  /// The nanoseconds to subtract.
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
