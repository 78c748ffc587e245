import CTesseraWebKitGTK
import TesseraWebContent

/// What happens at the signals of a widget and of its parts, as closures.
@MainActor
final class WidgetActions {
  private final class Action {
    let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
  }

  private let signals = Signals()
  private var actions: [Action] = []

  isolated deinit { signals.disconnectAll() }

  /// - Parameter signal: one without parameters.
  func on(
    _ widget: UnsafeMutablePointer<GtkWidget>, _ signal: String, _ body: @escaping @MainActor () -> Void
  ) {
    let action = Action(body)
    actions.append(action)
    signals.connect(
      gpointer(widget), signal, to: action,
      { _, owner in
        MainActor.assumeIsolated { Signals.owner(owner, as: Action.self)?.body() }
      } as @convention(c) (gpointer?, gpointer?) -> Void)
  }

  /// Calls the function when a property of the widget has changed.
  func onChange(
    of property: String, _ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void
  ) {
    let action = Action(body)
    actions.append(action)
    signals.connect(
      gpointer(widget), "notify::\(property)", to: action,
      { _, _, owner in
        MainActor.assumeIsolated { Signals.owner(owner, as: Action.self)?.body() }
      } as @convention(c) (gpointer?, gpointer?, gpointer?) -> Void)
  }

  /// Calls the function when the keyboard's focus leaves the widget and its parts.
  func onLeave(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void) {
    let controller = gtk_event_controller_focus_new()!
    let action = Action(body)
    actions.append(action)
    signals.connect(
      gpointer(controller), "leave", to: action,
      { _, owner in
        MainActor.assumeIsolated { Signals.owner(owner, as: Action.self)?.body() }
      } as @convention(c) (gpointer?, gpointer?) -> Void)
    // Takes the controller, which lives as long as the widget.
    gtk_widget_add_controller(widget, controller)
  }

  /// Calls the function when the widget was clicked, which also does what it always does.
  func onClick(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void) {
    let gesture = gtk_gesture_click_new()!
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    let action = Action(body)
    actions.append(action)
    signals.connect(
      gpointer(gesture), "released", to: action,
      { _, _, _, _, owner in
        MainActor.assumeIsolated { Signals.owner(owner, as: Action.self)?.body() }
      } as @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void)
    gtk_widget_add_controller(widget, gesture)
  }

  func end() {
    signals.disconnectAll()
    actions = []
  }
}
