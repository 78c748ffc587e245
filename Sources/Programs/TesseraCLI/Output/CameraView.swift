import FoundationEssentials
import Glibc
import Synchronization
import Tessera
import TesseraCommandLine
import TesseraMRZRecognition
import TesseraPictures

/// The camera's live picture in the terminal, with a line that says what the user should do. Shows nothing if standard
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

  /// Shows a frame.
  ///
  /// - Parameters:
  ///   - outlines: the corners of each line and symbol that was found.
  ///   - text: what the user should do.
  func show(_ frame: GrayPicture, _ outlines: [[Point]], _ text: String) {
    guard Terminal.isErrorTerminal else { return }
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
      ? KittyPicture.lines(frame, outlines, columns: size.columns, rows: size.rows)
      : HalfBlockFrame.lines(
        frame, outlines, columns: size.columns, rows: size.rows, colour: Terminal.errorColour)
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

  /// Removes the picture and the text: a document is in them.
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

/// A frame in half blocks: each character cell shows two pixels, one above the other.
enum HalfBlockFrame {
  /// The lines of the picture, for a terminal of this size.
  static func lines(
    _ frame: GrayPicture, _ outlines: [[Point]], columns: Int, rows: Int, colour: Terminal.Colour
  ) -> [String] {
    // Room for the text below the picture.
    let image = OutlinedFrame(frame, outlines, width: min(columns - 1, 120), height: max(2, min(rows - 2, 45) * 2))
    return stride(from: 0, to: image.height, by: 2).map { row in
      let cells = (0..<image.width).map { column in
        func code(_ row: Int) -> String {
          let index = (min(row, image.height - 1) * image.width + column) * 3
          return TerminalPicture.code(
            (Int(image.pixels[index]), Int(image.pixels[index + 1]), Int(image.pixels[index + 2])), colour)
        }
        return "\u{1B}[38;\(code(row));48;\(code(row + 1))m\u{2580}"
      }
      return cells.joined() + "\u{1B}[0m\u{1B}[K"
    }
  }
}

/// How the terminal shows pictures, apart from half blocks.
enum TerminalGraphics {
  /// The graphics protocol of kitty (https://sw.kovidgoyal.net/kitty/graphics-protocol/), which Ghostty, Konsole and
  /// WezTerm have too.
  case kitty

  /// By the variables that these terminals set. A terminal multiplexer between does not pass pictures on.
  static let current: TerminalGraphics? = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["TMUX"] == nil, environment["STY"] == nil else { return nil }
    let isKitty =
      environment["KITTY_WINDOW_ID"] != nil || environment["TERM"] == "xterm-kitty"
      || environment["TERM"] == "xterm-ghostty" || environment["TERM_PROGRAM"] == "WezTerm"
    return isKitty ? .kitty : nil
  }()
}

/// A frame by the graphics protocol of kitty.
enum KittyPicture {
  /// Removes the picture from the terminal and its memory.
  static let removal = "\u{1B}_Ga=d,d=I,i=77,q=2\u{1B}\\"
  /// The protocol's limit for one escape sequence.
  private static let piece = 4096

  /// The lines that the picture takes; the first one has the escape sequences.
  static func lines(_ frame: GrayPicture, _ outlines: [[Point]], columns: Int, rows: Int) -> [String] {
    let image = OutlinedFrame(frame, outlines, width: 480, height: 360)
    // A cell is about twice as high as wide.
    let cellRows = max(1, min(rows - 2, (columns - 1) * image.height / (2 * image.width), 24))
    let cellColumns = max(1, cellRows * 2 * image.width / image.height)
    let data = Array(image.pixels.withElements { Data(buffer: $0) }.base64EncodedString().utf8)
    var sequence = ""
    for start in stride(from: 0, to: data.count, by: piece) {
      let end = min(start + piece, data.count)
      let header =
        start == 0
        ? "a=T,f=24,i=77,p=1,q=2,C=1,s=\(image.width),v=\(image.height),c=\(cellColumns),r=\(cellRows)," : ""
      sequence +=
        "\u{1B}_G\(header)m=\(end < data.count ? 1 : 0);\(String(decoding: data[start..<end], as: UTF8.self))\u{1B}\\"
    }
    return [sequence] + Array(repeating: "", count: cellRows - 1)
  }
}
