internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraWebContent

/// A view that a page opened: 90 % of the width and 80 % of the height, in the middle, over a dark ground.
@MainActor
final class PopupPanel {
  let view: ContentView
  /// The view whose page opened it.
  let kind: PassageView
  private let container = PlacedOverlay()
  private let signals = Signals()
  private var actions: [ButtonAction] = []

  var widget: UnsafeMutablePointer<GtkWidget> { container.widget }

  /// - Parameter onClose: the user closes it.
  init(_ view: ContentView, of kind: PassageView, onClose: @escaping @MainActor () -> Void) {
    self.view = view
    self.kind = kind
    gtk_widget_add_css_class(container.widget, "passage-dim")
    let frame: UnsafeMutablePointer<GtkWidget> = gtk_overlay_new()
    gtk_widget_add_css_class(frame, "passage-popup")
    gtk_widget_set_overflow(frame, GTK_OVERFLOW_HIDDEN)
    gtk_widget_set_hexpand(view.widget, 1)
    gtk_widget_set_vexpand(view.widget, 1)
    gtk_overlay_set_child(OpaquePointer(frame), view.widget)
    let close = WidgetHelp.glyph("window-close-symbolic", size: 24, label: "Close")
    gtk_widget_set_size_request(close, 40, 40)
    gtk_widget_set_halign(close, GTK_ALIGN_END)
    gtk_widget_set_valign(close, GTK_ALIGN_START)
    WidgetHelp.margins(close, 6)
    gtk_overlay_add_overlay(OpaquePointer(frame), close)
    container.add(frame) { width, height in
      let size = (width: width * 9 / 10, height: height * 8 / 10)
      return GdkRectangle(
        x: (width - size.width) / 2, y: (height - size.height) / 2, width: size.width, height: size.height)
    }
    actions = [ButtonAction(onClose)]
    WidgetHelp.onClick(close, signals, actions[0])
    WidgetHelp.onEscape(container.widget, signals, actions[0])
  }

  /// Ends the page. The panel is no longer shown.
  func close() {
    signals.disconnectAll()
    container.end()
    actions = []
    view.close()
  }
}

/// A container that gives its children places by rules of the program. It keeps its widget, so that the signals of
/// its children can be disconnected after it left the window.
@MainActor
final class PlacedOverlay {
  /// Says where a child is in a container of this size.
  typealias Place = @MainActor (_ width: Int32, _ height: Int32) -> GdkRectangle

  let widget: UnsafeMutablePointer<GtkWidget>
  private let signals = Signals()
  private var places: [UnsafeMutableRawPointer: Place] = [:]

  init() {
    widget = gtk_overlay_new()
    g_object_ref_sink(gpointer(widget))
    gtk_widget_set_hexpand(widget, 1)
    gtk_widget_set_vexpand(widget, 1)
    signals.answer(
      gpointer(widget), "get-child-position", self, gpointer?.self, UnsafeMutablePointer<GdkRectangle>?.self
    ) { overlay, child, rectangle in
      guard let child, let rectangle, let place = overlay.places[child] else { return false }
      rectangle.pointee = place(gtk_widget_get_width(overlay.widget), gtk_widget_get_height(overlay.widget))
      return true
    }
  }

  isolated deinit {
    signals.disconnectAll()
    g_object_unref(gpointer(widget))
  }

  func add(_ child: UnsafeMutablePointer<GtkWidget>, at place: @escaping Place) {
    places[UnsafeMutableRawPointer(child)] = place
    gtk_overlay_add_overlay(OpaquePointer(widget), child)
  }

  /// Ends the rules, which may hold what holds this object.
  func end() {
    signals.disconnectAll()
    places = [:]
  }
}
