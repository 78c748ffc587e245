import CTesseraWebKitGTK
import TesseraWebContent

/// What a widget needs in one direction, in pixels.
struct Request {
  var minimum = 0
  var natural = 0

  /// GTK adds its own lengths in 32 bits.
  static let longest = 1 << 30
}

/// Places the children of a widget, instead of the layout that GTK would use.
@MainActor
protocol WidgetLayout: AnyObject {
  func width() -> Request
  /// - Parameter width: at least the minimum of `width()`.
  func height(forWidth width: Int) -> Request
  func allocate(width: Int, height: Int)
}

/// The connection between a widget of GTK and its `WidgetLayout`. The owner of the layout keeps it. Without it, the
/// children of the widget are not drawn.
@MainActor
final class LayoutConnection {
  private let widget: UnsafeMutablePointer<GtkWidget>
  private weak var layout: (any WidgetLayout)?
  private static let key = "tessera-layout"

  init(_ widget: UnsafeMutablePointer<GtkWidget>, _ layout: any WidgetLayout) {
    self.widget = widget
    self.layout = layout
    g_object_ref(gpointer(widget))
    g_object_set_data(gobject, Self.key, Unmanaged.passUnretained(self).toOpaque())
    gtk_widget_set_layout_manager(
      widget,
      gtk_custom_layout_new(
        { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
        { widget, orientation, forSize, minimum, natural, minimumBaseline, naturalBaseline in
          let request = LayoutConnection.measure(widget, orientation, Int(forSize))
          minimum?.pointee = gint(clamping: min(request.minimum, Request.longest))
          natural?.pointee = gint(clamping: min(request.natural, Request.longest))
          minimumBaseline?.pointee = -1
          naturalBaseline?.pointee = -1
        },
        { widget, width, height, _ in
          MainActor.assumeIsolated {
            LayoutConnection.layout(of: widget)?.allocate(width: Int(width), height: Int(height))
          }
        }))
  }

  isolated deinit {
    g_object_set_data(gobject, Self.key, nil)
    g_object_unref(gpointer(widget))
  }

  private var gobject: UnsafeMutablePointer<GObject> { object(widget) }

  private static func layout(of widget: UnsafeMutablePointer<GtkWidget>?) -> (any WidgetLayout)? {
    guard let widget, let data = g_object_get_data(object(widget), key) else { return nil }
    return Unmanaged<LayoutConnection>.fromOpaque(data).takeUnretainedValue().layout
  }

  private nonisolated static func measure(
    _ widget: UnsafeMutablePointer<GtkWidget>?, _ orientation: GtkOrientation, _ forSize: Int
  ) -> Request {
    // GTK calls it on its main thread, which is that of the main actor.
    nonisolated(unsafe) let widget = widget
    return MainActor.assumeIsolated {
      guard let layout = layout(of: widget) else { return Request() }
      let width = layout.width()
      var request =
        orientation == GTK_ORIENTATION_HORIZONTAL
        ? width : layout.height(forWidth: forSize < 0 ? width.natural : max(forSize, width.minimum))
      request.natural = max(request.minimum, request.natural)
      return request
    }
  }
}

extension UnsafeMutablePointer<GtkWidget> {
  /// What the widget needs, its margins included.
  @MainActor
  func request(_ orientation: GtkOrientation, for size: Int = -1) -> Request {
    var (minimum, natural): (gint, gint) = (0, 0)
    gtk_widget_measure(self, orientation, gint(clamping: size), &minimum, &natural, nil, nil)
    return Request(minimum: Int(minimum), natural: Int(natural))
  }

  @MainActor
  func place(x: Int, y: Int, width: Int, height: Int) {
    var rectangle = GtkAllocation(
      x: gint(clamping: x), y: gint(clamping: y), width: gint(clamping: width), height: gint(clamping: height))
    gtk_widget_size_allocate(self, &rectangle, -1)
  }
}
