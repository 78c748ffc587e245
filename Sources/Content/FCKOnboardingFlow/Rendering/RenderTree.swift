import TesseraJSON

/// Turns a screen of the document into what is drawn.
package enum RenderTree {
  /// The screen with what the user entered. An element of an unknown type yields no node; a screen of such an element
  /// alone is an empty stack.
  package static func screen(
    _ screen: FlowScreen, state: ScreenState = ScreenState(), words: FlowWords = FlowWords()
  ) -> RenderNode {
    let root = RenderNodes(state: state, words: words).node(screen.root, on: nil)
    return filling(
      root ?? RenderNode(id: screen.root.id, content: .stack(RenderStack()), box: RenderBox(), role: .none))
  }

  /// One element of a screen; nil if the screen has no such element, or if it is not drawn.
  static func node(
    _ elementId: String, of elements: ScreenElements, state: ScreenState = ScreenState(), words: FlowWords = FlowWords()
  ) -> RenderNode? {
    guard let path = elements.path(to: elementId), let element = path.last else { return nil }
    let background = path.dropLast().reduce(nil) { RenderInk.background(RenderNodes.background($1), on: $0) }
    let node = RenderNodes(state: state, words: words).node(element, on: background)
    return path.count == 1 ? node.map(filling) : node
  }

  private static func filling(_ root: RenderNode) -> RenderNode {
    var root = root
    // The screen's own element fills the window, so that its background does.
    if root.box.width == .auto { root.box.width = .fill }
    if root.box.height == .auto, case .stack = root.content { root.box.height = .fill }
    return root
  }
}

extension RenderNode {
  /// The node of an element in this tree.
  package func node(_ elementId: String) -> RenderNode? {
    if id.hasBytes(of: elementId) { return self }
    for child in children {
      if let node = child.node(elementId) { return node }
    }
    return nil
  }
}

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
