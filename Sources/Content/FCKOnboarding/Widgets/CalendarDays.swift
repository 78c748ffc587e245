import CTesseraWebKitGTK
import TesseraWebContent

/// Tells when the user chooses a day in a `GtkCalendar`: a click on a day, or the space key.
///
/// The calendar itself says that a day was selected also when the user only goes to another month, and says nothing
/// when they choose the day that it shows as selected already.
@MainActor
final class CalendarDays {
  private let calendar: UnsafeMutablePointer<GtkWidget>
  private let onChosen: @MainActor () -> Void
  private let signals = Signals()
  /// Whether the space key was pressed while the calendar had the focus. The press that opened the calendar was not.
  private var isPressed = false

  init(_ calendar: UnsafeMutablePointer<GtkWidget>, onChosen: @escaping @MainActor () -> Void) {
    self.calendar = calendar
    self.onChosen = onChosen
    addClicks()
    addKeys()
  }

  isolated deinit { end() }

  func end() { signals.disconnectAll() }

  private func addClicks() {
    let gesture = gtk_gesture_click_new()!
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    signals.on(gpointer(gesture), "released", self, gint.self, Double.self, Double.self) { days, _, x, y in
      days.clicked(x, y)
    }
    // Takes the controller, which lives as long as the widget.
    gtk_widget_add_controller(calendar, gesture)
  }

  private func addKeys() {
    let keys = gtk_event_controller_key_new()!
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
    signals.answer(gpointer(keys), "key-pressed", self, guint.self) { days, key in
      days.pressed(key)
      // The calendar selects the day.
      return false
    }
    signals.on(gpointer(keys), "key-released", self, guint.self) { $0.released($1) }
    gtk_widget_add_controller(calendar, keys)
  }

  /// GTK has selected the day when the button was pressed.
  private func clicked(_ x: Double, _ y: Double) {
    guard let target = gtk_widget_pick(calendar, x, y, GTK_PICK_DEFAULT),
      gtk_widget_has_css_class(target, "day-number") != 0
    else { return }
    onChosen()
  }

  private func pressed(_ key: guint) { isPressed = Self.isSpace(key) && hasFocus }

  private func released(_ key: guint) {
    guard isPressed, Self.isSpace(key), hasFocus else { return }
    isPressed = false
    onChosen()
  }

  /// The buttons of the calendar's heading have the focus, too.
  private var hasFocus: Bool { gtk_widget_is_focus(calendar) != 0 }

  private static func isSpace(_ key: guint) -> Bool {
    [GDK_KEY_space, GDK_KEY_KP_Space].contains(Int32(bitPattern: key))
  }
}
