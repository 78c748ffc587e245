import TesseraJSON

/// Writes the nodes of one screen as HTML.
///
/// Each node's outermost element has its element's id as `data-id`. Elements that can be pressed have `data-tap`, those
/// that hold something `data-control`; `fck.js` tells the program what the user does with them.
struct FlowPageWriter {
  private let words: FlowWords
  /// The elements of the screen by their ids, counted. Ids of the document do not become ids of the page.
  private let numbers: [UTF8Text: Int]
  /// The directions of the stacks around the elements.
  private let axes: [UTF8Text: FlowStack.Axis]

  init(_ screen: FlowScreen, words: FlowWords) {
    self.words = words
    var numbers: [UTF8Text: Int] = [:]
    var axes: [UTF8Text: FlowStack.Axis] = [:]
    for (index, element) in ScreenElements(screen.root).all.enumerated() where numbers[UTF8Text(element.id)] == nil {
      numbers[UTF8Text(element.id)] = index
      guard case .stack(let stack) = element.content else { continue }
      for child in stack.children { axes[UTF8Text(child.id)] = stack.axis }
    }
    self.numbers = numbers
    self.axes = axes
  }

  /// The id of an element in the page; nil if the screen has no such element.
  func pageId(_ elementId: String) -> String? { numbers[UTF8Text(elementId)].map { "fck-\($0)" } }

  /// The whole screen.
  func html(screen root: RenderNode) -> String { html(root, in: .vertical) }

  /// An element of the screen.
  func html(_ node: RenderNode) -> String { html(node, in: axes[UTF8Text(node.id)] ?? .vertical) }

  private func html(_ node: RenderNode, in axis: FlowStack.Axis) -> String {
    var html = FlowHTML()
    write(node, in: axis, to: &html)
    return html.string
  }

  // MARK: - Nodes

  private func write(_ node: RenderNode, in axis: FlowStack.Axis, to html: inout FlowHTML) {
    var style = FlowStyle()
    style.box(node.box, in: axis)
    switch node.content {
    case .stack(let stack): write(stack, node, style, to: &html)
    case .text(let text): write(text, node, style, to: &html)
    case .picture(let picture): write(picture, node, style, to: &html)
    case .button(let button): write(button, node, style, to: &html)
    case .progressBar(let bar): write(bar, node, style, to: &html)
    case .entry, .toggle, .datePicker, .choice:
      FlowFieldWriter(words: words, pageId: pageId(node.id) ?? "fck").write(node, style, to: &html)
    }
  }

  private func write(_ stack: RenderStack, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    var style = style
    style.stack(stack)
    begin("div", class: "fck-stack", node, style, to: &html)
    pressable(node, to: &html)
    html.raw(">")
    for child in node.children { write(child, in: stack.axis, to: &html) }
    html.close("div")
  }

  private func write(_ text: RenderText, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    var style = style
    style.pixels("font-size", text.size)
    style.number("font-weight", Double(text.weight.number))
    switch text.alignment {
    case .left: style.word("text-align", "left")
    case .center: style.word("text-align", "center")
    case .right: style.word("text-align", "right")
    }
    style.color("color", text.color)
    begin("p", class: "fck-text", node, style, to: &html)
    pressable(node, to: &html)
    html.raw(">")
    html.text(text.content)
    html.close("p")
  }

  private func write(_ picture: RenderPicture, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    var style = style
    style.word("object-fit", picture.fit == .cover ? "cover" : "contain")
    guard let address = picture.address else {
      begin("div", class: "fck-picture fck-failed", node, style, to: &html)
      if node.isTappable {
        pressable(node, to: &html)
      } else if let name = node.name {
        html.attribute("role", "img")
        html.attribute("aria-label", name)
      }
      html.raw("></div>")
      return
    }
    begin("img", class: "fck-picture", node, style, to: &html)
    pressable(node, to: &html)
    // A picture without a description is decoration.
    html.attribute("alt", node.name ?? "")
    html.attribute("referrerpolicy", "no-referrer")
    html.attribute("src", address)
    html.raw(">")
  }

  private func write(_ button: RenderButton, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    var style = style
    style.color("color", button.textColor)
    // A parser ends a button at the start of another one.
    let isGroup = node.role == .group
    begin(isGroup ? "div" : "button", class: "fck-button", node, style, to: &html)
    if isGroup { pressable(node, to: &html) } else { pressableButton(node, to: &html) }
    html.raw(">")
    if let text = button.text { html.text(text) }
    for child in node.children { write(child, in: .vertical, to: &html) }
    html.close(isGroup ? "div" : "button")
  }

  private func write(_ bar: RenderProgressBar, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    var style = style
    style.color("background-color", bar.trackColor)
    var part = FlowStyle()
    part.percent("width", bar.fraction * 100)
    part.color("background-color", bar.barColor)
    begin("div", class: "fck-progress", node, style, to: &html)
    html.attribute("role", "progressbar")
    if let name = node.name { html.attribute("aria-label", name) }
    html.attribute("aria-valuemin", "0")
    html.attribute("aria-valuemax", "100")
    html.attribute("aria-valuenow", FlowStyle.number((bar.fraction * 100).rounded()))
    html.raw("><div")
    html.attribute("style", part.text)
    html.raw("></div></div>")
  }

  // MARK: - Attributes

  private func begin(
    _ tag: StaticString, class name: StaticString, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML
  ) {
    html.open(tag)
    html.attribute("class", name.description)
    if let pageId = pageId(node.id) { html.attribute("id", pageId) }
    html.attribute("data-id", node.id)
    if !style.text.isEmpty { html.attribute("style", style.text) }
  }

  private func pressableButton(_ node: RenderNode, to html: inout FlowHTML) {
    html.attribute("type", "button")
    if node.isTappable { html.attribute("data-tap") }
    if let name = node.name { html.attribute("aria-label", name) }
  }

  /// For an element that no browser takes for a button.
  private func pressable(_ node: RenderNode, to html: inout FlowHTML) {
    guard node.isTappable else { return }
    html.attribute("role", node.role == .group ? "group" : "button")
    html.attribute("tabindex", "0")
    html.attribute("data-tap")
    if let name = node.name { html.attribute("aria-label", name) }
  }
}

extension FlowStyle {
  fileprivate mutating func stack(_ stack: RenderStack) {
    word("flex-direction", stack.axis == .vertical ? "column" : "row")
    if stack.spacing > 0 { pixels("gap", stack.spacing) }
    switch stack.distribution {
    case .start: word("justify-content", "flex-start")
    case .center: word("justify-content", "center")
    case .end: word("justify-content", "flex-end")
    case .spaceBetween: word("justify-content", "space-between")
    case .spaceAround: word("justify-content", "space-around")
    case .spaceEvenly: word("justify-content", "space-evenly")
    }
    switch stack.alignment {
    case .start: word("align-items", "flex-start")
    case .center: word("align-items", "center")
    case .end: word("align-items", "flex-end")
    }
  }
}
