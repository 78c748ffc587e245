import Glibc

/// A pipe that the next program of this process does not inherit, unless it is told to.
struct PrivatePipe {
  let reading: Int32
  let writing: Int32

  /// - Returns: nil if the system has no more descriptors.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    // No other thread of this program runs another program meanwhile.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }
}
