import FCKOnboardingFlow

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
