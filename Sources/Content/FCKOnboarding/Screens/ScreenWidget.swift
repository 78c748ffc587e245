import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// One screen: its root node, which scrolls if the window is too small for it. A flow can ask for more room than any
/// window has.
@MainActor
final class ScreenWidget: WidgetLayout {
  let root: NodeWidget
  /// The widget of the whole screen.
  let widget: UnsafeMutablePointer<GtkWidget>
  private let page: UnsafeMutablePointer<GtkWidget>
  private var connection: LayoutConnection?
  private let context: WidgetContext

  init(_ node: RenderNode, _ context: WidgetContext) {
    self.context = context
    root = context.draw { context.make(node) }
    page = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    gtk_box_append(object(page), root.widget)
    widget = gtk_scrolled_window_new()
    g_object_ref_sink(gpointer(widget))
    gtk_scrolled_window_set_policy(OpaquePointer(widget), GTK_POLICY_AUTOMATIC, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_child(OpaquePointer(widget), page)
    if let viewport = gtk_scrolled_window_get_child(OpaquePointer(widget)) {
      gtk_scrollable_set_vscroll_policy(OpaquePointer(viewport), GTK_SCROLL_NATURAL)
      gtk_viewport_set_scroll_to_focus(OpaquePointer(viewport), 1)
    }
    connection = LayoutConnection(page, self)
  }

  isolated deinit { g_object_unref(gpointer(widget)) }

  func setWindow(_ size: FlowSize) { root.setSizes(FlowLayout(window: size).sizes(of: root.node)) }

  func update(_ id: String, _ node: RenderNode) {
    guard let target = root.find(id) else { return }
    context.draw { target.update(node) }
  }

  /// Gives the focus to the first control, which may be the root itself, unless one has it.
  func focusFirst() {
    guard gtk_widget_get_focus_child(page) == nil else { return }
    if gtk_widget_child_focus(page, GTK_DIR_TAB_FORWARD) == 0 { gtk_widget_grab_focus(root.widget) }
  }

  /// Ends the connections to the user. The screen is drawn as long as the object is there.
  func end() {
    root.end()
    context.onInput = nil
  }

  // MARK: - Layout

  func width() -> Request {
    // A window may be narrower than what a screen would like to be.
    Request(minimum: root.widthRequest.minimum, natural: root.widthRequest.natural)
  }

  func height(forWidth width: Int) -> Request { root.heightRequest(forWidth: rootWidth(in: width)) }

  func allocate(width: Int, height: Int) {
    let length = rootWidth(in: width)
    let request = root.heightRequest(forWidth: length)
    let rootHeight = root.height == .fill ? max(height, request.minimum) : request.natural
    root.widget.place(x: max(0, (width - length) / 2), y: 0, width: length, height: rootHeight)
  }

  private func rootWidth(in width: Int) -> Int {
    let request = root.widthRequest
    return max(request.minimum, root.width == .fill ? width : min(request.natural, width))
  }
}
