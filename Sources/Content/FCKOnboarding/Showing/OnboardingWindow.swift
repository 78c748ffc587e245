import CTesseraWebKitGTK
import TesseraCore
import TesseraWebContent

/// The window of a flow. Its title bar says what it is, and no flow can change or cover it: the questions of the
/// hardware service have another one.
@MainActor
final class OnboardingWindow {
  /// The size of a phone, for which flows are written.
  static let size: (width: Int32, height: Int32) = (420, 780)

  let window: UnsafeMutablePointer<GtkWindow>
  /// Called when the user closes the window; it stays open until `close()`.
  var onCloseRequest: (@MainActor () -> Void)?
  /// Called for Escape, Alt and the left arrow, and the back button of a pointing device.
  var onBack: (@MainActor () -> Void)?

  private let signals = Signals()
  private var isClosed = false

  /// - Parameters:
  ///   - program: who shows the flow. Its own name, not a text of the flow.
  ///   - isPage: whether the content is a page, which does not pass on its keys.
  init(program: String, content: UnsafeMutablePointer<GtkWidget>, isPage: Bool) {
    window = object(gtk_window_new()!)
    gtk_window_set_title(window, "Onboarding – \(PrintableText.of(program))")
    gtk_window_set_default_size(window, Self.size.width, Self.size.height)
    gtk_window_set_titlebar(window, gtk_header_bar_new())
    gtk_window_set_child(window, content)
    signals.answer(gpointer(window), "close-request", self) {
      $0.onCloseRequest?()
      // The owner closes it.
      return true
    }
    signals.refuseInspector(of: window)
    // Widgets go first: a calendar that is open closes at Escape.
    addKeys(isPage ? GTK_PHASE_CAPTURE : GTK_PHASE_BUBBLE)
    addBackButton()
  }

  isolated deinit { close() }

  func present() { gtk_window_present(window) }

  func fillScreen() { gtk_window_fullscreen(window) }

  /// Closes the window. Idempotent.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    signals.disconnectAll()
    gtk_window_set_child(window, nil)
    gtk_window_destroy(window)
  }

  private func addKeys(_ phase: GtkPropagationPhase) {
    let keys = gtk_event_controller_key_new()!
    gtk_event_controller_set_propagation_phase(keys, phase)
    signals.answer(gpointer(keys), "key-pressed", self, guint.self, guint.self, GdkModifierType.self) {
      window, key, _, modifiers in window.pressed(key, modifiers)
    }
    // Takes the controller.
    gtk_widget_add_controller(object(window), keys)
  }

  /// - Returns: whether the key was for the window.
  private func pressed(_ key: guint, _ modifiers: GdkModifierType) -> Bool {
    func has(_ modifier: GdkModifierType) -> Bool { modifiers.rawValue & modifier.rawValue != 0 }
    switch Int32(bitPattern: key) {
    case GDK_KEY_Escape: onBack?()
    case GDK_KEY_Left where has(GDK_ALT_MASK): onBack?()
    case GDK_KEY_w where has(GDK_CONTROL_MASK), GDK_KEY_q where has(GDK_CONTROL_MASK): onCloseRequest?()
    default: return false
    }
    return true
  }

  private func addBackButton() {
    let gesture = gtk_gesture_click_new()!
    gtk_gesture_single_set_button(gesture, 8)
    signals.on(gpointer(gesture), "pressed", self) { $0.onBack?() }
    gtk_widget_add_controller(object(window), gesture)
  }
}
