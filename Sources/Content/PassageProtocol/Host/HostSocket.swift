internal import Glibc
package import TesseraJSON

/// One end of the private socket between a host program and `tessera-passage session`. Its calls block.
///
/// No name leads to the socket: the process inherits its end as a descriptor.
package struct HostSocket: Sendable {
  package let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Two connected sockets, which no other program inherits; nil if the process has too many open files.
  package static func pair() -> (host: HostSocket, program: HostSocket)? {
    SocketPair().map { (HostSocket(descriptor: $0.first), HostSocket(descriptor: $0.second)) }
  }

  /// Whether the descriptor is a stream socket of this machine.
  package var isUsable: Bool {
    var (domain, type): (Int32, Int32) = (0, 0)
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
      && getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == Int32(SOCK_STREAM.rawValue)
  }

  /// Writes one message. Ignores SIGPIPE.
  ///
  /// - Returns: false if the other end is closed.
  package func write(_ json: JSONValue) -> Bool {
    var rest = HostLines.line(json)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads messages until the other end is closed, on the calling thread.
  ///
  /// - Parameter receive: Called with each line; false ends the reading.
  /// - Throws: `HostMessageError` if the other end sends something else than lines of JSON.
  package func read(_ receive: (HostLines.Line) -> Bool) throws(HostMessageError) {
    var lines = HostLines()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      for line in try lines.receive(buffer.prefix(count)) {
        guard receive(line) else { return }
      }
    }
  }

  /// Ends the conversation in both directions: the reading thread of each end wakes up.
  package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Releases the descriptor. No other thread may use it any more.
  package func close() { Glibc.close(descriptor) }
}

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
