internal import Glibc

/// Two connected stream sockets of this process, which the programs that it starts do not inherit.
struct SocketPair {
  /// The descriptors.
  let first: Int32
  let second: Int32

  /// - Parameter reserved: The last descriptor that neither socket gets. A host may have closed its standard streams:
  ///   their numbers are free then, but what the host prints must not reach the program, and in the program they belong
  ///   to its own standard streams.
  /// - Returns: nil if the process has too many open files.
  init?(above reserved: Int32 = STDERR_FILENO) {
    var ends: [Int32] = [-1, -1]
    // Unlike `pipe`, this makes sure that no other program of the host inherits the ends.
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    for index in ends.indices where ends[index] <= reserved {
      let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, reserved + 1)
      guard moved >= 0 else {
        let error = errno
        for end in ends { close(end) }
        errno = error
        return nil
      }
      close(ends[index])
      ends[index] = moved
    }
    (first, second) = (ends[0], ends[1])
  }
}
