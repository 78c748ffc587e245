import Glibc
import Synchronization
import TesseraThreads

/// The table in use. Any number of threads look up in it without a lock while another thread replaces it.
///
/// A lookup may not use a table whose memory was released, and may not count references either: a count that all threads
/// write would be their bottleneck. So each lookup is counted while it lasts, in one of several counters, and whoever
/// replaces the table waits until no lookup can use the old one. This is the scheme of Linux's sleepable RCU
/// (`kernel/rcu/srcutree.c`), with a counter that goes up and down again at the same place:
///
/// - A lookup (1) adds one to the counter of its thread in the current group, (2) reads the pointer to the table, (3)
///   uses it, and (4) subtracts one from the same counter.
/// - A replacement (a) exchanges the pointer, and then (b) waits until it has seen each counter of both groups at zero.
///
/// Why no lookup uses released memory: (1), (2), (a) and the reads of (b) are sequentially consistent, so all threads
/// see them in one order. If (2) comes before (a), the lookup may have the old table; but then (1) comes before (b), so
/// the counter is not zero until (4). (4) releases, and (b) acquires the value that it wrote or a later one, so
/// everything that the lookup read comes before the release of the memory. If (2) comes after (a), the lookup has the
/// new table. It does not matter which group a lookup was counted in, so a thread may be delayed between reading the
/// number of the group and (1).
///
/// Why the wait ends: with one group, new lookups could keep a counter above zero for ever. So (b) first waits for the
/// group that is not in use, in which only delayed lookups are, then makes it the current one, and waits for the other.
///
/// A lookup never waits. A replacement waits for lookups that are in progress; one takes less than a microsecond unless
/// its thread is suspended.
///
/// `@unchecked Sendable`: the counters are atomic, and their memory is released with this object only.
final class CurrentTable: @unchecked Sendable {
  private typealias Counter = Atomic<Int>

  /// Counters per group. Threads that share one are only slower.
  private static let threadSlots = 16
  /// Two cache lines, since processors read them in pairs: each counter is alone in its own.
  private static let stride = 128 / MemoryLayout<Counter>.stride

  private let counters: UnsafeMutablePointer<Counter>
  private let group = Atomic<Int>(0)
  private let pointer: Atomic<UnsafeMutablePointer<StringTable.Memory>>
  /// Owns the memory. The lock also keeps replacements apart.
  private let owner: Locked<StringTable>

  init(_ table: StringTable = .empty()) {
    let count = 2 * Self.threadSlots * Self.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Counter>.stride, alignment: 128)
    counters = memory.bindMemory(to: Counter.self, capacity: count)
    for index in 0..<count { (counters + index).initialize(to: Counter(0)) }
    pointer = Atomic(table.memory)
    owner = Locked(table)
  }

  deinit {
    // Nobody looks up in an object that is released.
    counters.deinitialize(count: 2 * Self.threadSlots * Self.stride)
    UnsafeMutableRawPointer(counters).deallocate()
  }

  /// The text for the key in the table that is current when the call begins, or in a later one.
  func text(_ key: String, fallback: () -> String) -> FoundText? {
    var key = key
    return key.withUTF8 { key in
      let counter = counter(group.load(ordering: .sequentiallyConsistent), Self.threadSlot)
      counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
      let memory = pointer.load(ordering: .sequentiallyConsistent)
      let text = memory.pointee.text(key, fallback: fallback)
      counter.pointee.wrappingSubtract(1, ordering: .releasing)
      return text
    }
  }

  /// The form of a text for a number. Waits for a replacement that is in progress.
  func text(_ key: String, count: Int, fallback: () -> String) -> FoundText? {
    owner.withLock { $0.text(key, count: count, fallback: fallback) }
  }

  /// Replaces the table. Blocks until no lookup uses the previous one.
  ///
  /// - Parameter isWanted: called under the lock; if it returns false, nothing happens.
  /// - Returns: the previous table; nil if nothing happened.
  @discardableResult
  func replace(with table: StringTable, if isWanted: () -> Bool = { true }) -> StringTable? {
    owner.withLock { owner in
      guard isWanted() else { return nil }
      let previous = owner
      owner = table
      pointer.store(table.memory, ordering: .sequentiallyConsistent)
      let current = group.load(ordering: .sequentiallyConsistent)
      waitForLookups(in: 1 - current)
      group.store(1 - current, ordering: .sequentiallyConsistent)
      waitForLookups(in: current)
      return previous
    }
  }

  private func waitForLookups(in group: Int) {
    for slot in 0..<Self.threadSlots {
      let counter = counter(group, slot)
      while counter.pointee.load(ordering: .sequentiallyConsistent) != 0 {
        // The thread of the lookup may need this core.
        usleep(20)
      }
    }
  }

  private func counter(_ group: Int, _ slot: Int) -> UnsafeMutablePointer<Counter> {
    counters + (group * Self.threadSlots + slot) * Self.stride
  }

  /// Differs between threads in most cases: descriptors of threads stand at regular distances, so all bits count.
  private static var threadSlot: Int {
    let mixed = UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 60)
  }
}

/// Where a text came from.
package enum TextSource: UInt8, Sendable {
  /// A file of the program.
  case bundled
  /// The server, or its texts in the cache.
  case update
  /// The text that the caller gave for this case.
  case `default`
  /// The key itself.
  case key
}

/// A text and where it came from.
package struct FoundText: Sendable, Equatable {
  package let text: String
  package let source: TextSource
}
