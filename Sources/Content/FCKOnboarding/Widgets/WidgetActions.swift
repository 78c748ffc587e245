import CTesseraWebKitGTK
import TesseraWebContent

/// What happens at the signals of a widget and of its parts, as closures.
@MainActor
final class WidgetActions {
  private let signals = Signals()

  isolated deinit { signals.disconnectAll() }

  /// Calls the function at each emission of a signal without an answer.
  func on(
    _ widget: UnsafeMutablePointer<GtkWidget>, _ signal: String, _ body: @escaping @MainActor () -> Void
  ) {
    signals.on(gpointer(widget), signal, self) { _ in body() }
  }

  /// Calls the function when a property of the widget has changed.
  func onChange(
    of property: String, _ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void
  ) {
    signals.on(gpointer(widget), "notify::\(property)", self) { _ in body() }
  }

  /// Calls the function when the keyboard's focus leaves the widget and its parts.
  func onLeave(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void) {
    let controller = gtk_event_controller_focus_new()!
    signals.on(gpointer(controller), "leave", self) { _ in body() }
    // Takes the controller, which lives as long as the widget.
    gtk_widget_add_controller(widget, controller)
  }

  /// Calls the function when the widget was clicked, which also does what it always does.
  func onClick(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void) {
    let gesture = gtk_gesture_click_new()!
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    signals.on(gpointer(gesture), "released", self) { _ in body() }
    gtk_widget_add_controller(widget, gesture)
  }

  func end() { signals.disconnectAll() }
}
