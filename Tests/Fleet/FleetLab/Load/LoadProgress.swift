internal import FoundationEssentials
internal import Glibc
internal import TesseraThreads

/// How far the desks are, from the lengths of their journals: only what is new is read.
package final class LoadProgress: Sendable {
  private struct Journal {
    var position = 0
    var lines = 0
  }
  private let journals: Locked<[String: Journal]>

  package init(_ paths: [String]) {
    journals = Locked(Dictionary(paths.map { ($0, Journal()) }) { first, _ in first })
  }

  /// About the number of reads that have ended: each has two lines.
  package var ended: Int {
    journals.withLock { journals in
      for path in journals.keys { Self.advance(path, &journals[path, default: Journal()]) }
      return journals.values.map(\.lines).reduce(0, +) / 2
    }
  }

  private static func advance(_ path: String, _ journal: inout Journal) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, journal.position)
      guard count > 0 else { return }
      journal.position += count
      journal.lines += buffer.prefix(count).count { $0 == UInt8(ascii: "\n") }
    }
  }
}
