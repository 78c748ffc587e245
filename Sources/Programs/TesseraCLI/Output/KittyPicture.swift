import FoundationEssentials
import Tessera
import TesseraMRZRecognition
import TesseraPictures

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
