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

/// What a tree says, without what it looks like. Both back ends must say the same in the same order.
package enum RenderDump {
  /// A line for each node that assistive technology meets or that draws a text: the role, the name in quotation marks, the
  /// state, and after a colon the texts that are drawn, each in quotation marks. Children follow their parent.
  ///
  ///     text: "Tell us about you"
  ///     textField "Phone": "Phone" "🇩🇪"
  ///     radio "Learn" selected: "📘" "Learn"
  package static func lines(_ node: RenderNode) -> [String] {
    var lines: [String] = []
    if node.role != .none {
      let (own, texts) = own(node)
      lines.append(line(node.role, node.name, state: own, texts))
    }
    if case .choice(let choice) = node.content {
      lines += choice.options.map { option in
        line(
          choice.allowsMultiple ? .checkBox : .radio, option.label, state: option.isSelected ? "selected" : nil,
          texts(option))
      }
      // The problem is drawn below the options.
      lines += texts(choice.problem).map { line(.text, nil, state: nil, [$0]) }
    }
    return lines + node.children.flatMap { Self.lines($0) }
  }

  /// The texts that are drawn, in their order, without the contents and the placeholders of fields.
  package static func texts(_ node: RenderNode) -> [String] {
    switch node.content {
    case .choice(let choice): own(node).texts + choice.options.flatMap(texts) + texts(choice.problem)
    default: own(node).texts + node.children.flatMap { Self.texts($0) }
    }
  }

  /// The state of a node and the texts that it draws before its options and children.
  private static func own(_ node: RenderNode) -> (state: String?, texts: [String]) {
    switch node.content {
    case .stack, .picture: (nil, [])
    case .progressBar(let bar): ("\(Int((bar.fraction * 100).rounded()))%", [])
    case .text(let text): (nil, drawn(text.content))
    case .button(let button): (nil, drawn(button.text))
    case .entry(let entry): (entry.problem == nil ? nil : "invalid", texts(entry))
    case .toggle(let toggle): (toggle.isOn ? "on" : "off", drawn(toggle.label))
    case .datePicker(let picker):
      (picker.problem == nil ? nil : "invalid", drawn(picker.label) + texts(picker.problem))
    case .choice(let choice): (choice.problem == nil ? nil : "invalid", drawn(choice.label))
    }
  }

  private static func texts(_ entry: RenderEntry) -> [String] {
    let flag: String? = if case .phone(let flag) = entry.kind { flag } else { nil }
    return drawn(entry.label) + drawn(flag) + texts(entry.problem)
  }

  private static func texts(_ option: RenderOption) -> [String] { drawn(option.icon) + drawn(option.label) }

  private static func texts(_ problem: RenderProblem?) -> [String] { drawn(problem?.message) }

  private static func drawn(_ text: String?) -> [String] {
    guard let text, !text.isEmpty else { return [] }
    return [text]
  }

  private static func line(_ role: RenderRole, _ name: String?, state: String?, _ texts: [String]) -> String {
    let words = [role.rawValue, name.map(quoted), state].compactMap(\.self).joined(separator: " ")
    return texts.isEmpty ? words : "\(words): \(texts.map(quoted).joined(separator: " "))"
  }

  /// On one line, whatever is in it.
  private static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
