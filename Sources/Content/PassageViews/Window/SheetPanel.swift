internal import CTesseraWebKitGTK
internal import TesseraWebContent

/// A panel that slides in from the bottom of the window. Its height is that of its content, at most a part of the
/// window's. Clicks outside it do not close it; dragging it down, Escape and its button do.
@MainActor
final class SheetPanel {
  let container = PlacedOverlay()
  private let revealer: UnsafeMutablePointer<GtkWidget>
  private let frame: UnsafeMutablePointer<GtkWidget>
  private let signals = Signals()
  private var actions: [ButtonAction] = []
  /// Whether the sheet was dragged far enough.
  private static let dragDistance = 80.0
  static let slide: UInt32 = 250

  var widget: UnsafeMutablePointer<GtkWidget> { container.widget }

  /// - Parameters:
  ///   - part: the largest part of the window's height.
  ///   - isTall: whether it has this height whatever its content is.
  init(part: Double, isTall: Bool = false, onClose: @escaping @MainActor () -> Void) {
    revealer = gtk_revealer_new()
    frame = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    gtk_revealer_set_transition_type(OpaquePointer(revealer), GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP)
    gtk_revealer_set_transition_duration(OpaquePointer(revealer), Self.slide)
    gtk_revealer_set_child(OpaquePointer(revealer), frame)
    gtk_widget_add_css_class(frame, "passage-sheet")
    gtk_widget_set_overflow(frame, GTK_OVERFLOW_HIDDEN)
    let handle: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
    gtk_widget_add_css_class(handle, "passage-sheet-handle")
    gtk_widget_set_halign(handle, GTK_ALIGN_CENTER)
    gtk_widget_set_margin_top(handle, 7)
    gtk_box_append(object(frame), handle)
    actions = [ButtonAction(onClose)]
    addDrag()
    WidgetHelp.onEscape(frame, signals, actions[0])
    let revealer = revealer
    container.add(revealer) { width, height in
      var natural: Int32 = 0
      gtk_widget_measure(revealer, GTK_ORIENTATION_VERTICAL, width, nil, &natural, nil, nil)
      let most = Int32(Double(height) * part)
      let size = isTall ? min(most, natural > 0 ? most : 0) : min(most, natural)
      return GdkRectangle(x: 0, y: height - size, width: width, height: size)
    }
    // The window around the sheet stays the pages', but a click there does nothing.
    gtk_widget_set_can_target(container.widget, 1)
  }

  /// Replaces what the sheet shows.
  func setContent(_ content: UnsafeMutablePointer<GtkWidget>) {
    // The handle is the first child.
    while let last = gtk_widget_get_last_child(frame), last != gtk_widget_get_first_child(frame) {
      gtk_box_remove(object(frame), last)
    }
    gtk_box_append(object(frame), content)
  }

  /// Takes the keys, if nothing inside does.
  func focus() {
    gtk_widget_set_focusable(frame, 1)
    gtk_widget_grab_focus(frame)
  }

  func setOpen(_ isOpen: Bool) { gtk_revealer_set_reveal_child(OpaquePointer(revealer), isOpen.gboolean) }

  func end() {
    signals.disconnectAll()
    container.end()
    actions = []
  }

  private func addDrag() {
    let drag = gtk_gesture_drag_new()!
    signals.on(gpointer(drag), "drag-end", self, Double.self, Double.self) { panel, _, offset in
      if offset > Self.dragDistance { panel.actions.first?.run() }
    }
    gtk_widget_add_controller(frame, drag)
  }
}
