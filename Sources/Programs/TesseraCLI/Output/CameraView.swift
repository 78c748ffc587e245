import FoundationEssentials
import Glibc
import Synchronization
import Tessera
import TesseraCommandLine

/// The camera's live picture in the terminal, with a line that says what the person should do. Shows nothing if standard
/// error is no terminal.
final class CameraView: Sendable {
  private let showsPicture: Bool
  private let graphics: TerminalGraphics?
  private let state = Mutex(State())

  private struct State {
    /// Whether the terminal shows its second screen, which has no history: nothing of the picture stays.
    var isOnOtherScreen = false
    var lastShown: ContinuousClock.Instant?
    var lastText = ""
    /// A frame that is still being read at the end must not bring the document back.
    var hasEnded = false
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
      guard showsPicture, !state.hasEnded, state.lastShown.map({ now - $0 >= Self.interval }) ?? true else {
        return false
      }
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
      guard !state.hasEnded else { return }
      if !state.isOnOtherScreen {
        state.isOnOtherScreen = true
        Interruption.atExit { [self] in clear() }
        write("\r\u{1B}[K\u{1B}[?1049h")
      }
      write("\u{1B}[H" + lines.joined(separator: "\n") + "\n\r\u{1B}[J\(text.prefix(max(1, size.columns - 1)))")
      state.lastText = text
    }
  }

  func show(_ text: String) {
    guard Terminal.isErrorTerminal else { return }
    state.withLock { state in
      guard !state.hasEnded, text != state.lastText else { return }
      state.lastText = text
      write("\r\u{1B}[K\(text)")
    }
  }

  /// Removes the picture and the text: the person's document is in them.
  func clear() {
    guard Terminal.isErrorTerminal else { return }
    state.withLock { state in
      if state.isOnOtherScreen { write((graphics == .kitty ? KittyPicture.removal : "") + "\u{1B}[J\u{1B}[?1049l") }
      write("\r\u{1B}[K")
      state = State(hasEnded: true)
    }
  }

  private func write(_ text: String) { Note.writeRaw(text) }
}
