import FoundationEssentials
import Glibc
package import Tessera

/// The capabilities of the terminal.
package enum Terminal {
  /// The colours that standard output supports.
  package enum Colour {
    case none
    case palette256
    case trueColour
  }

  package static let isErrorTerminal = isatty(STDERR_FILENO) == 1

  /// None unless standard output is a terminal and `NO_COLOR` is unset (https://no-color.org).
  package static let colour = colour(of: STDOUT_FILENO)
  /// The same for standard error.
  package static let errorColour = colour(of: STDERR_FILENO)

  private static func colour(of descriptor: Int32) -> Colour {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(descriptor) == 1, environment["NO_COLOR", default: ""].isEmpty,
      environment["TERM", default: "dumb"] != "dumb"
    else { return .none }
    let depth = environment["COLORTERM", default: ""]
    return depth.contains("truecolor") || depth.contains("24bit") ? .trueColour : .palette256
  }

  /// The size of the terminal that is standard error, in character cells; 80 x 24 if it is unknown.
  package static var errorSize: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  package enum Style: String {
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case bold = "1"
  }

  package static func styled(_ text: String, _ style: Style) -> String {
    colour == .none ? text : "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// Text from an untrusted source without control characters.
  package static func printable(_ text: String) -> String { PrintableText.of(text) }
}

/// A picture in half blocks: each character cell shows two pixels, one above the other.
package struct TerminalPicture {
  /// One string per line, all of the same width.
  package let lines: [String]
  /// The width in character cells.
  package let width: Int

  /// Returns nil if the terminal has no colours.
  ///
  /// - Parameters:
  ///   - picture: the decoded image.
  ///   - height: the number of lines.
  ///   - colour: the colours of the terminal.
  package init?(_ picture: Picture, height: Int, colour: Terminal.Colour) {
    let size = picture.size
    guard colour != .none, height > 0 else { return nil }
    let rows = height * 2
    let columns = min(max(1, size.width * rows / size.height), height * 4)
    func pixel(_ column: Int, _ row: Int) -> (Int, Int, Int) {
      picture.average(
        Self.range(of: column, in: columns, over: size.width), Self.range(of: row, in: rows, over: size.height))
    }
    width = columns
    lines = (0..<height).map { line in
      let cells = (0..<columns).map { column in
        let upper = Self.code(pixel(column, line * 2), colour)
        let lower = Self.code(pixel(column, line * 2 + 1), colour)
        return "\u{1B}[38;\(upper);48;\(lower)m\u{2580}"
      }
      return cells.joined() + "\u{1B}[0m"
    }
  }

  /// The pixels of one cell, at least one.
  private static func range(of cell: Int, in cells: Int, over pixels: Int) -> Range<Int> {
    let start = cell * pixels / cells
    return start..<max(start + 1, (cell + 1) * pixels / cells)
  }

  package static func code(_ pixel: (Int, Int, Int), _ colour: Terminal.Colour) -> String {
    if colour == .trueColour { return "2;\(pixel.0);\(pixel.1);\(pixel.2)" }
    // The 6 x 6 x 6 cube of the 256 colour palette.
    func level(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
    return "5;\(16 + 36 * level(pixel.0) + 6 * level(pixel.1) + level(pixel.2))"
  }
}

extension Picture {
  /// The mean colour of a rectangle of pixels.
  fileprivate func average(_ columns: Range<Int>, _ rows: Range<Int>) -> (Int, Int, Int) {
    var sum = (0, 0, 0)
    var count = 0
    for row in rows where row < size.height {
      for column in columns where column < size.width {
        let index = (row * size.width + column) * 3
        sum.0 += Int(pixels[index])
        sum.1 += Int(pixels[index + 1])
        sum.2 += Int(pixels[index + 2])
        count += 1
      }
    }
    return count == 0 ? sum : (sum.0 / count, sum.1 / count, sum.2 / count)
  }
}
