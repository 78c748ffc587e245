import FoundationEssentials
import Glibc
import Synchronization
import Tessera

/// The camera's live picture in the terminal, with a line that says what the person should do. Shows nothing if standard
/// error is no terminal.
final class CameraView: Sendable {
  private let showsPicture: Bool
  private let graphics: TerminalGraphics?
  private let state = Mutex(State())

  private struct State {
    /// The lines of the terminal that the last picture and its text took, less the last one.
    var height = 0
    var lastShown: ContinuousClock.Instant?
    var lastText = ""
  }

  /// More pictures a second would not look smoother in a terminal.
  private static let interval = Duration.milliseconds(66)

  init(showsPicture: Bool) {
    self.showsPicture = showsPicture && Terminal.errorColour != .none
    graphics = TerminalGraphics.current
  }

  func show(_ frame: GrayPicture, _ reading: MRZReading) {
    guard Terminal.isErrorTerminal else { return }
    let text = reading.state.advice
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      guard showsPicture, state.lastShown.map({ now - $0 >= Self.interval }) ?? true else { return false }
      state.lastShown = now
      return true
    }
    guard isDue else { return show(text) }
    let size = Terminal.errorSize
    let lines =
      graphics == .kitty
      ? KittyPicture.lines(frame, reading.outlines, columns: size.columns, rows: size.rows)
      : HalfBlockFrame.lines(
        frame, reading.outlines, columns: size.columns, rows: size.rows, colour: Terminal.errorColour)
    state.withLock { state in
      write(Self.home(state.height) + lines.joined(separator: "\n") + "\n\r\u{1B}[K\(text)")
      state.height = lines.count
      state.lastText = text
    }
  }

  func show(_ text: String) {
    guard Terminal.isErrorTerminal else { return }
    state.withLock { state in
      guard text != state.lastText else { return }
      state.lastText = text
      write("\r\u{1B}[K\(text)")
    }
  }

  /// Removes the picture and the text: the person's document is in them.
  func clear() {
    guard Terminal.isErrorTerminal else { return }
    state.withLock { state in
      write((graphics == .kitty ? KittyPicture.removal : "") + Self.home(state.height) + "\u{1B}[J")
      state = State()
    }
  }

  private static func home(_ height: Int) -> String { height > 0 ? "\r\u{1B}[\(height)A" : "\r" }

  private func write(_ text: String) { Note.writeRaw(text) }
}
