import Glibc
import TesseraCommandLine
import TesseraFleet

/// The status on a terminal, drawn again each second.
enum StatusScreen {
  /// Whether standard output is a terminal.
  static let isPossible = isatty(STDOUT_FILENO) == 1

  /// Draws until the task is cancelled. A moment without servers is shown as such, since the connection comes back.
  static func follow(_ status: () async throws -> FleetStatus) async throws {
    // The terminal's second screen, which has no history; without the cursor.
    try StandardOutput.write(bytes: Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
    let leave: @Sendable () -> Void = { try? StandardOutput.write(bytes: Array("\u{1B}[?25h\u{1B}[?1049l".utf8)) }
    Interruption.atExit(leave)
    defer {
      leave()
      Interruption.atExit(nil)
    }
    let clock = ContinuousClock()
    var next = clock.now
    while !Task.isCancelled {
      let size = size
      var lines: [Substring]
      do {
        lines = try await status().text(width: size.columns).split(separator: "\n", omittingEmptySubsequences: false)
      } catch is CancellationError {
        return
      } catch {
        lines = [Substring(ErrorOutput.message(error))]
      }
      lines = lines.prefix(max(1, size.rows - 1)).map { $0.prefix(size.columns) }
      // Each line erases what the last drawing left behind it, and the end what was below.
      let text = "\u{1B}[H" + lines.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J"
      try StandardOutput.write(bytes: Array(text.utf8))
      next = max(next + .seconds(1), clock.now)
      try? await clock.sleep(until: next)
    }
  }

  /// The size of the terminal in character cells; 80 x 24 if it is unknown.
  private static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
