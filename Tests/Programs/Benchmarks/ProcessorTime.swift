import Glibc

/// Processor time, without waiting and without other processes.
enum ProcessorTime {
  /// Of this thread, in nanoseconds.
  static var now: Int { read(CLOCK_THREAD_CPUTIME_ID) }
  /// Of all threads of this process, in nanoseconds.
  static var ofProcess: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// The cost of one reading of this clock, a system call: the minimum of many readings, in nanoseconds.
  static let costOfLooking: Int = {
    let differences = (0..<10_000).map { _ in
      let start = now
      return now - start
    }
    return differences.min() ?? 0
  }()

  /// The median times of two computations in milliseconds. They run alternately, because the machine's speed drifts.
  /// The first runs are for warming up and are not counted.
  ///
  /// - Parameter runs: The number of counted runs of each.
  static func medians(
    runs: Int = 101, _ ours: () throws -> Void, floor: () throws -> Void
  ) rethrows -> (ours: Double, floor: Double) {
    var times = (ours: [Int](), floor: [Int]())
    for index in 0..<runs + 10 {
      let start = now
      try ours()
      let middle = now
      try floor()
      let end = now
      guard index >= 10 else { continue }
      times.ours.append(middle - start - costOfLooking)
      times.floor.append(end - middle - costOfLooking)
    }
    return (median(times.ours), median(times.floor))
  }

  /// The median in milliseconds of times in nanoseconds.
  static func median(_ times: [Int]) -> Double {
    let sorted = times.sorted()
    return sorted.isEmpty ? 0 : Double(sorted[sorted.count / 2]) / 1_000_000
  }
}
