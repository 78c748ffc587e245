internal import Glibc
internal import TesseraCore
internal import TesseraThreads

/// What `tessera-passage` writes to its standard error, which is a pair of sockets: whoever has taken over the process
/// must not read or change the terminal of the host.
///
/// A thread passes the lines on to the host's standard error, without control characters.
final class ProgramErrors: Sendable {
  /// In bytes. The rest of a longer line is left out.
  private static let longestLine = 4_096
  /// In bytes, of one run of the program. What follows is read and left out.
  private static let mostBytes = 1 << 20

  /// The end for the program.
  let descriptor: Int32
  private let source: Int32

  /// nil if the process has too many open files.
  init?() {
    var ends: [Int32] = [-1, -1]
    // Unlike `pipe`, this makes sure that no other program of the host inherits the ends.
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    (source, descriptor) = (ends[0], ends[1])
    shutdown(source, Int32(SHUT_WR))
  }

  /// Reads until all copies of the program's end are closed. The program has its copy now.
  func begin() {
    close(descriptor)
    let isStarted = DetachedThread.start(name: "passage-errors", waits: false) { [self] in
      // The host's standard error may be a closed pipe, which must not end the host.
      BrokenPipe.blockSignal()
      pass()
      close(source)
    }
    // Without a thread the lines are lost.
    if !isStarted { close(source) }
  }

  func abandon() {
    close(descriptor)
    close(source)
  }

  private func pass() {
    var lines = PrintableLines(longest: Self.longestLine, most: Self.mostBytes)
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = Glibc.read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      let text = count > 0 ? lines.receive(buffer.prefix(count)) : lines.end()
      if !text.isEmpty { Self.write(text) }
      guard count > 0 else { return }
    }
  }

  private static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
