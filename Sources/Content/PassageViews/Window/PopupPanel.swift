internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraWebContent

/// A view that a page opened: 90 % of the width and 80 % of the height, in the middle, over a dark ground (3.11).
@MainActor
final class PopupPanel {
  let view: ContentView
  /// The view whose page opened it.
  let kind: PassageView
  private let container = PlacedOverlay()
  private let signals = Signals()
  private var actions: [ButtonAction] = []

  var widget: UnsafeMutablePointer<GtkWidget> { container.widget }

  /// - Parameter onClose: the person closes it.
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
