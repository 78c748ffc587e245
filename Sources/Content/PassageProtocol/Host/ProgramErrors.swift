internal import Dispatch
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
  /// Where the lines go.
  private let target: Int32
  private let end = DispatchSemaphore(value: 0)

  /// nil if the process has too many open files.
  init?(target: Int32) {
    guard let sockets = SocketPair() else { return nil }
    (source, descriptor) = (sockets.first, sockets.second)
    self.target = target
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
      end.signal()
    }
    // Without a thread the lines are lost.
    if !isStarted {
      close(source)
      end.signal()
    }
  }

  /// Waits until the program's end is closed and everything is written. Only one call learns of it.
  ///
  /// - Returns: Whether it is.
  func waitUntilEnd(within limit: Duration) -> Bool {
    end.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
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
      if !text.isEmpty { write(text) }
      guard count > 0 else { return }
    }
  }

  private func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(target, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

/// Makes the output of a program into lines that a terminal only shows.
struct PrintableLines {
  private let longest: Int
  private var left: Int
  private var line: [UInt8] = []

  /// - Parameters:
  ///   - longest: Of a line, in bytes; its rest is left out.
  ///   - most: Of all lines, in bytes; what follows is left out.
  init(longest: Int, most: Int) {
    self.longest = longest
    left = most
  }

  /// - Returns: The lines that are complete now, each with its end.
  mutating func receive(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { text += end() } else if line.count < longest { line.append(byte) }
    }
    return text
  }

  /// - Returns: What is left, as a line; empty if nothing is.
  mutating func end() -> String {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty, left > 0 else { return "" }
    left -= line.count
    return PrintableText.of(String(decoding: line, as: UTF8.self)) + "\n"
  }
}
