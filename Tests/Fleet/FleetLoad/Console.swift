import Glibc

/// Lines on the standard streams, without a buffer: a process that is killed has said what it said.
enum Console {
  static func say(_ line: String) { write(line, to: STDOUT_FILENO) }

  static func complain(_ line: String) { write(line, to: STDERR_FILENO) }

  private static func write(_ line: String, to descriptor: Int32) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // Nobody reads any more.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
