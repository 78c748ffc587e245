import FCKOnboardingFlow

/// Values as CSS. Nothing of a document is pasted: what is written here was parsed before.
enum CSSText {
  /// With at most two decimals, and never with an exponent.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int((min(max(value, -1_000_000), 1_000_000) * 100).rounded())
    let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
    let sign = hundredths < 0 ? "-" : ""
    guard rest > 0 else { return sign + String(whole) }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A whole number of pixels, so that layouts add up.
  static func pixels(_ value: Double) -> String { "\(Int(FlowLayout.limited(value).rounded()))px" }

  static func color(_ color: FlowColor) -> String {
    "rgba(\(color.red),\(color.green),\(color.blue),\(number(Double(color.alpha) / 255)))"
  }

  /// The colour of texts; that of the theme is inherited.
  static func color(_ color: RenderColor) -> String? {
    if case .fixed(let color) = color { Self.color(color) } else { nil }
  }

  static func border(_ border: RenderBorder) -> String {
    "border:\(pixels(border.width)) solid \(color(border.color));border-radius:\(pixels(border.radius));"
  }

  static func spacing(_ spacing: Spacing) -> String {
    [spacing.top, spacing.right, spacing.bottom, spacing.left].map(pixels).joined(separator: " ")
  }
}

extension RenderBox {
  /// The declarations of the box itself. Its sizes are those of the layout.
  var css: String {
    var text = "margin:\(CSSText.spacing(margin));padding:\(CSSText.spacing(padding));" + CSSText.border(border)
    text += "background-color:\(background.map(CSSText.color) ?? "transparent");"
    return text + "background-image:none;box-shadow:none;text-shadow:none;min-width:0;min-height:0;"
  }

  /// The sum of the margins, in whole pixels.
  var outerWidth: Int { Self.whole(margin.left) + Self.whole(margin.right) }
  var outerHeight: Int { Self.whole(margin.top) + Self.whole(margin.bottom) }

  private static func whole(_ length: Double) -> Int { Int(FlowLayout.limited(length).rounded()) }
}

extension PressEffect {
  /// How the widget looks while it is pressed, and how it gets there.
  ///
  /// - Parameter states: selectors behind the class, for example `:active`.
  func css(_ states: [String]) -> String {
    guard !isPlain else { return "" }
    let time = CSSText.number(duration * 1000)
    let transition =
      "transition-property:transform,opacity;transition-duration:\(time)ms;transition-timing-function:ease-in-out;"
    let selector = states.map { "&" + $0 }.joined(separator: ",")
    return "&{\(transition)}\(selector){transform:scale(\(CSSText.number(scale)));opacity:\(CSSText.number(opacity));}"
  }
}
