import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A node as a widget of GTK. A redraw changes the widget and does not replace it, so that the focus and the caret
/// stay.
@MainActor
class NodeWidget {
  let widget: UnsafeMutablePointer<GtkWidget>
  let context: WidgetContext
  let actions = WidgetActions()
  private(set) var node: RenderNode
  /// The lengths of the box in the present window, without the margin.
  private(set) var width = RenderLength.natural
  private(set) var height = RenderLength.natural
  private var style = WidgetStyle()
  private var release: Task<Void, Never>?

  /// - Parameter widget: a new one, which the object then owns.
  init(_ node: RenderNode, _ widget: UnsafeMutablePointer<GtkWidget>, _ context: WidgetContext) {
    self.node = node
    self.widget = widget
    self.context = context
    g_object_ref_sink(gpointer(widget))
  }

  isolated deinit {
    actions.end()
    g_object_unref(gpointer(widget))
  }

  /// What receives the keyboard's focus for this node.
  var focusTarget: UnsafeMutablePointer<GtkWidget> { widget }

  /// The nodes in this one.
  var children: [NodeWidget] { [] }

  /// Rules of CSS for the parts of the widget, `&` being the widget.
  var css: String { "&{\(node.box.css)}" }

  /// Draws another state of the same node.
  func update(_ node: RenderNode) {
    self.node = node
    redraw()
  }

  /// Sets the widget to its node. Subclasses do their part and call it.
  func redraw() {
    style.set(css + (node.press?.css(pressedStates) ?? ""), on: widget, context.sheet)
  }

  /// A container does not look pressed while a control in it is.
  private var pressedStates: [String] { node.role == .group ? [".pressed"] : [".pressed", ":active"] }

  /// Lets the widget look pressed for a moment.
  func press(_ effect: PressEffect) {
    guard !effect.isPlain else { return }
    gtk_widget_add_css_class(widget, "pressed")
    release?.cancel()
    release = Task { [weak self] in
      guard (try? await Task.sleep(for: .seconds(effect.duration))) != nil, let self else { return }
      gtk_widget_remove_css_class(widget, "pressed")
    }
  }

  /// Ends the connections of this widget and of those in it.
  func end() {
    release?.cancel()
    actions.end()
    for child in children { child.end() }
  }

  // MARK: - Sizes

  func setSizes(_ sizes: [String: RenderSize]) {
    for child in children { child.setSizes(sizes) }
    guard let size = sizes[node.id], size.width != width || size.height != height else { return }
    width = size.width
    height = size.height
    gtk_widget_queue_resize(widget)
  }

  /// What the parent learns, the margins included.
  var widthRequest: Request {
    Self.request(widget.request(GTK_ORIENTATION_HORIZONTAL), width, node.box.outerWidth)
  }

  /// - Parameter outerWidth: with the margins.
  func heightRequest(forWidth outerWidth: Int) -> Request {
    let least = widget.request(GTK_ORIENTATION_HORIZONTAL).minimum
    return Self.request(
      widget.request(GTK_ORIENTATION_VERTICAL, for: max(outerWidth, least)), height, node.box.outerHeight)
  }

  private static func request(_ request: Request, _ length: RenderLength, _ margins: Int) -> Request {
    guard case .pixels(let pixels) = length else { return request }
    return Request(
      minimum: request.minimum,
      natural: max(request.minimum, Int(FlowLayout.limited(pixels).rounded()) + margins))
  }

  /// The widgets of this node and of those in it, with their ids.
  func find(_ id: String) -> NodeWidget? {
    if node.id == id { return self }
    for child in children {
      if let found = child.find(id) { return found }
    }
    return nil
  }
}

/// The keyboard's focus of a widget whose content is replaced. It is asked before the old content goes away.
@MainActor
struct FocusHandover {
  /// Whether the focus is in the widget, or nowhere in the window. A program may have given it to another part.
  private let isDue: Bool

  init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    guard let root = gtk_widget_get_root(widget) else {
      isDue = false
      return
    }
    isDue = gtk_root_get_focus(root).map { $0 == widget || gtk_widget_is_ancestor($0, widget) != 0 } ?? true
  }

  /// Gives the focus to the new content, if the old one had it.
  func finish(_ focusFirst: () -> Void) {
    if isDue { focusFirst() }
  }
}
