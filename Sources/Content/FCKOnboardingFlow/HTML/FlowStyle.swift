/// The declarations of a `style` attribute. Their values are numbers, colours and words of ours: no text of the document
/// gets here.
struct FlowStyle {
  private(set) var text = ""

  mutating func word(_ property: StaticString, _ value: StaticString) { add(property, value.description) }

  mutating func pixels(_ property: StaticString, _ values: Double...) {
    add(property, values.map { "\(Self.number($0))px" }.joined(separator: " "))
  }

  mutating func number(_ property: StaticString, _ value: Double) { add(property, Self.number(value)) }

  mutating func percent(_ property: StaticString, _ value: Double) { add(property, "\(Self.number(value))%") }

  mutating func color(_ property: StaticString, _ color: FlowColor) { add(property, Self.color(color)) }

  /// The theme's colour is that of the page, so it needs no declaration.
  mutating func color(_ property: StaticString, _ color: RenderColor) {
    if case .fixed(let color) = color { self.color(property, color) }
  }

  /// The colour of a text with a control of the browser beside it. The control is drawn for the text's background, which
  /// need not be that of the page.
  mutating func ink(_ color: RenderColor) {
    guard case .fixed(let ink) = color else { return }
    self.color("color", ink)
    word("color-scheme", RenderInk.isLight(ink) ? "dark" : "light")
  }

  mutating func border(_ border: RenderBorder) {
    if border.radius > 0 { pixels("border-radius", border.radius) }
    guard border.width > 0 else { return }
    add("border", "\(Self.number(border.width))px solid \(Self.color(border.color))")
  }

  /// - Parameter axis: the direction in which the parent places its children.
  mutating func box(_ box: RenderBox, in axis: FlowStack.Axis) {
    spacing("margin", box.margin)
    spacing("padding", box.padding)
    length("width", box.width, isMain: axis == .horizontal)
    length("height", box.height, isMain: axis == .vertical)
    if let background = box.background { color("background-color", background) }
    border(box.border)
  }

  private mutating func spacing(_ property: StaticString, _ spacing: Spacing) {
    guard spacing != .zero else { return }
    pixels(property, spacing.top, spacing.right, spacing.bottom, spacing.left)
  }

  /// - Parameter isMain: whether the parent places its children in this direction.
  private mutating func length(_ property: StaticString, _ length: Dimension, isMain: Bool) {
    switch length {
    case .auto: break
    case .fill:
      if isMain { word("flex", "1 1 auto") } else { word("align-self", "stretch") }
    case .pixels(let pixels): self.pixels(property, FlowLayout.limited(pixels))
    case .percent(let part): percent(property, FlowLayout.limited(part))
    case .viewportWidth(let part): add(property, "\(Self.number(FlowLayout.limited(part)))vw")
    case .viewportHeight(let part): add(property, "\(Self.number(FlowLayout.limited(part)))vh")
    }
  }

  private mutating func add(_ property: StaticString, _ value: String) { text += "\(property):\(value);" }

  /// With three digits after the point at most. What is not finite is 0.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    return DecimalText.text((value * 1_000).rounded() / 1_000)
  }

  /// `#rrggbbaa`, the order of CSS.
  static func color(_ color: FlowColor) -> String {
    "#" + [color.red, color.green, color.blue, color.alpha].hexadecimal.lowercased()
  }
}
