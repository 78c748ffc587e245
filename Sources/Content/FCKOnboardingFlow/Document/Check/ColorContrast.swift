import Glibc

/// How well a text can be told from its background (WCAG 2.2, “contrast ratio”).
enum ColorContrast {
  /// Below this nobody reads a text. What is good to read has more: 4.5, or 3 for large texts.
  static let least = 2.0
  /// A text with less alpha is not seen on any background.
  static let faintest: UInt8 = 0x20

  /// The colour behind what is on a background; nil if it is not known, because the window shows through.
  static func background(_ color: FlowColor?, on outer: FlowColor?) -> FlowColor? {
    guard let color, color.alpha > 0 else { return outer }
    if color.alpha == 255 { return color }
    return outer.map { blend(color, over: $0) }
  }

  /// 1 (equal) to 21 (black and white).
  static func ratio(_ ink: FlowColor, on background: FlowColor) -> Double {
    let lights = [luminance(blend(ink, over: background)), luminance(background)]
    return ((lights.max() ?? 0) + 0.05) / ((lights.min() ?? 0) + 0.05)
  }

  private static func blend(_ color: FlowColor, over base: FlowColor) -> FlowColor {
    func part(_ one: UInt8, _ other: UInt8) -> UInt8 {
      UInt8((Int(one) * Int(color.alpha) + Int(other) * (255 - Int(color.alpha))) / 255)
    }
    return FlowColor(
      red: part(color.red, base.red), green: part(color.green, base.green), blue: part(color.blue, base.blue))
  }

  private static func luminance(_ color: FlowColor) -> Double {
    func linear(_ part: UInt8) -> Double {
      let part = Double(part) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
  }
}
