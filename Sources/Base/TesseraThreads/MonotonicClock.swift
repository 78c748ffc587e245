import Glibc

/// The time as an input of a type, so that a test can step it. Production code passes `ContinuousClock`.
///
/// Asynchronous code waits with `sleep`. Code that blocks its own thread waits with `poll`.
package protocol MonotonicClock: Clock where Instant == ContinuousClock.Instant {
  /// Blocks the calling thread until one of the descriptors has an event, or until the deadline, as poll(2) does.
  ///
  /// It may return earlier, so the caller compares the deadline with `now`.
  ///
  /// - Parameter deadline: nil for no limit.
  /// - Returns: The number of descriptors with an event, or -1 with `errno`.
  func poll(_ descriptors: inout [pollfd], until deadline: ContinuousClock.Instant?) -> Int32
}

extension ContinuousClock: MonotonicClock {
  package func poll(_ descriptors: inout [pollfd], until deadline: Instant?) -> Int32 {
    let timeout = deadline.map { deadline in
      let remaining = now.duration(to: deadline) / .milliseconds(1)
      // A longer wait is done in parts.
      return Int32(min(max(0, remaining.rounded(.up)), 60_000))
    }
    return Glibc.poll(&descriptors, nfds_t(descriptors.count), timeout ?? -1)
  }
}
