import Tessera
import TesseraCommandLine
import TesseraMRZRecognition
import TesseraPictures

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
