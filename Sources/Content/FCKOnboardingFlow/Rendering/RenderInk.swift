/// The colours of texts.
///
/// The author's colours are drawn as they are, in light and dark, with one exception: `text(_:on:)`. A label has no colour
/// of its own: it has the theme's on the window's own background, and a readable one on a background of the author.
enum RenderInk {
  /// The author's background that a text lies on; nil is the window's own.
  ///
  /// A background that is less than half opaque lets the window's own show.
  static func background(_ color: FlowColor?, on outer: FlowColor?) -> FlowColor? {
    guard let color, color.alpha >= 0x80 else { return outer }
    return color
  }

  /// Black is the default of a text, and the theme's colour on the window's own background, which is dark at times. On a
  /// background of the author it is black, whether the document says so or not.
  static func text(_ color: FlowColor, on background: FlowColor?) -> RenderColor {
    background == nil && color == black ? .theme : .fixed(color)
  }

  /// A text without a colour of its own: black or white, whichever has more contrast (WCAG 2.2).
  static func label(on background: FlowColor?) -> RenderColor {
    guard let background else { return .theme }
    return .fixed(isLight(background) ? black : white)
  }

  /// Whether black has more contrast with the colour than white has.
  static func isLight(_ color: FlowColor) -> Bool {
    ColorContrast.ratio(black, on: color) >= ColorContrast.ratio(white, on: color)
  }

  static let black = FlowColor(red: 0, green: 0, blue: 0)
  static let white = FlowColor(red: 0xFF, green: 0xFF, blue: 0xFF)
}
