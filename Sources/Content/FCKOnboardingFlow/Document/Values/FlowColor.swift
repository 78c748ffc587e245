package import TesseraJSON

/// A colour of the document (NativeScreens.md, rule 4).
public struct FlowColor: Sendable, Hashable {
  public var alpha: UInt8
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  public static let transparent = FlowColor(alpha: 0, red: 0, green: 0, blue: 0)

  public init(alpha: UInt8 = 255, red: UInt8, green: UInt8, blue: UInt8) {
    self.alpha = alpha
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Reads 3, 6 or 8 hexadecimal digits, with or without `#` before them.
  ///
  /// - Note: 8 digits are alpha, red, green, blue, as in the mobile SDK. In CSS the alpha is the last.
  /// - Returns: nil for anything else, which a document means as transparent.
  public init?(hex: String) {
    guard hex.utf8.count <= 16 else { return nil }
    var text = hex[...]
    if text.hasPrefix("#") { text = text.dropFirst() }
    let digits = text.utf8.compactMap(\.hexadecimalValue)
    guard digits.count == text.utf8.count else { return nil }
    func byte(_ index: Int) -> UInt8 { digits[index] << 4 | digits[index + 1] }
    switch digits.count {
    case 3: self.init(red: digits[0] * 0x11, green: digits[1] * 0x11, blue: digits[2] * 0x11)
    case 6: self.init(red: byte(0), green: byte(2), blue: byte(4))
    case 8: self.init(alpha: byte(0), red: byte(2), green: byte(4), blue: byte(6))
    default: return nil
    }
  }

  /// `#RRGGBB`, or `#AARRGGBB` for a colour that is not opaque.
  public var hex: String {
    "#" + ((alpha == 255 ? [] : [alpha]) + [red, green, blue]).hexadecimal
  }

  /// The form that `init(hex:)` reads without a change.
  package var json: JSONValue { .string(hex) }
}
