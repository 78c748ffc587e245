import TesseraJSON

/// Turns a screen of the document into what is drawn.
package enum RenderTree {
  /// The screen with what the person entered. An element of an unknown type yields no node; a screen of such an element
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
