import FoundationEssentials
import Glibc
internal import Tessera

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
