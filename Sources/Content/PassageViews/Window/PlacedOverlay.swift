internal import CTesseraWebKitGTK
internal import TesseraWebContent

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
    signals.connect(
      gpointer(widget), "get-child-position", to: self,
      { overlay, child, rectangle, owner in
        guard let overlay, let child, let rectangle else { return 0 }
        return MainActor.assumeIsolated {
          guard let place = Signals.owner(owner, as: PlacedOverlay.self)?.places[child] else { return 0 }
          let container = overlay.assumingMemoryBound(to: GtkWidget.self)
          rectangle.pointee = place(gtk_widget_get_width(container), gtk_widget_get_height(container))
          return 1
        }
      }
        as @convention(c) (gpointer?, gpointer?, UnsafeMutablePointer<GdkRectangle>?, gpointer?) -> gboolean)
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
