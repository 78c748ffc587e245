public import CTesseraWebKitGTK

/// A window with any number of views on top of each other. Hidden views stay alive: they are below the others, almost
/// transparent, and take no input, so that their pages go on.
@MainActor
public final class ContentWindow {
  public let window: UnsafeMutablePointer<GtkWindow>
  /// Called when the user closes the window; it stays open until `close()`.
  public var onCloseRequest: (@MainActor () -> Void)?
  /// When the user last pressed a key or a button in the window, by the clock of `MainLoop.now`.
  public private(set) var lastInput: Duration?
  /// Called when the user wants to go back, with Escape, which pages then do not receive, or with the back button of
  /// the pointing device.
  public var onBack: (@MainActor () -> Void)?
  /// Whether the user can close the window with its button or the usual keys. In a kiosk they cannot.
  public let isKiosk: Bool

  private let overlay: OpaquePointer
  private let signals = Signals()
  private var views: [ContentView] = []
  /// The view that was shown last, which has the focus.
  private weak var front: ContentView?
  private var notice: ContentNotice?
  private var waiting: UnsafeMutablePointer<GtkWidget>?
  private var curtain: UnsafeMutablePointer<GtkWidget>?
  /// How far views are moved to the right, by their widgets, in pixels of the desktop.
  private var shifts: [UnsafeMutableRawPointer: Double] = [:]
  private var frames: FrameCallbacks?
  private var isClosed = false

  /// - Parameters:
  ///   - title: the title of the window.
  ///   - width: in pixels of the desktop, at first.
  ///   - height: in pixels of the desktop, at first.
  ///   - isKiosk: whether the window fills the screen and has no way out but Ctrl+Alt+Shift+Q.
  public init(title: String, width: Int32 = 900, height: Int32 = 820, isKiosk: Bool = false) {
    self.isKiosk = isKiosk
    window = object(gtk_window_new()!)
    overlay = OpaquePointer(gtk_overlay_new()!)
    gtk_window_set_title(window, title)
    gtk_window_set_default_size(window, width, height)
    gtk_window_set_child(window, object(overlay))
    signals.answer(gpointer(window), "close-request", self) {
      if !$0.isKiosk { $0.onCloseRequest?() }
      // The owner closes it.
      return true
    }
    addKeys()
    addButtons()
    placeMovedViews()
    signals.refuseInspector(of: window)
    if isKiosk {
      fillBareScreen()
      gtk_window_set_decorated(window, 0)
      gtk_window_fullscreen(window)
    }
  }

  isolated deinit { close() }

  /// Without a window manager, nobody on X11 answers the request for the whole screen, and the window keeps its own size.
  /// So that is the size of the screen.
  private func fillBareScreen() {
    guard let monitors = gdk_display_get_default().flatMap({ gdk_display_get_monitors($0) }),
      let monitor = g_list_model_get_item(monitors, 0)
    else { return }
    defer { g_object_unref(monitor) }
    var area = GdkRectangle()
    gdk_monitor_get_geometry(OpaquePointer(monitor), &area)
    guard area.width > 0, area.height > 0 else { return }
    gtk_window_set_default_size(window, area.width, area.height)
  }

  /// Adds a view on top of the others.
  public func add(_ view: ContentView) {
    views.append(view)
    gtk_widget_set_hexpand(view.widget, 1)
    gtk_widget_set_vexpand(view.widget, 1)
    gtk_overlay_add_overlay(overlay, view.widget)
  }

  public func remove(_ view: ContentView) {
    guard let index = views.firstIndex(where: { $0 === view }) else { return }
    views.remove(at: index)
    gtk_overlay_remove_overlay(overlay, view.widget)
  }

  /// What GTK still draws. It does not draw a widget at 0, and a page whose pictures nobody takes draws no further ones.
  private static let leastOpacity = 1.0 / 255

  /// Shows a view, on top of the others, or hides it. A hidden view goes on.
  public func setShown(_ isShown: Bool, _ view: ContentView) {
    gtk_widget_set_opacity(view.widget, isShown ? 1 : Self.leastOpacity)
    if isShown { raise(view) }
    gtk_widget_set_can_target(view.widget, isShown.gboolean)
    gtk_widget_set_can_focus(view.widget, isShown.gboolean)
    setAccessible(isShown, view)
    if isShown {
      front = view
      gtk_widget_grab_focus(view.widget)
    }
  }

  /// A screen reader must not read what nobody sees.
  private func setAccessible(_ isAccessible: Bool, _ view: ContentView) {
    var state = GTK_ACCESSIBLE_STATE_HIDDEN
    var value = GValue()
    g_value_init(&value, GType(5 << 2))  // G_TYPE_BOOLEAN, a macro that Swift does not import
    g_value_set_boolean(&value, (!isAccessible).gboolean)
    gtk_accessible_update_state_value(OpaquePointer(view.widget), 1, &state, &value)
    g_value_unset(&value)
  }

  /// Puts a view above the other views.
  public func raise(_ view: ContentView) {
    let others = views.filter { $0 !== view }
    guard let top = others.last, views.last !== view else { return }
    views = others + [view]
    gtk_widget_insert_after(view.widget, object(overlay), top.widget)
  }

  /// Fills the screen without decorations. Unlike a kiosk, the user can leave the window.
  public func fillScreen() {
    gtk_window_set_decorated(window, 0)
    gtk_window_fullscreen(window)
  }

  public var title: String {
    get { gtk_window_get_title(window).map { String(cString: $0) } ?? "" }
    set { gtk_window_set_title(window, newValue) }
  }

  /// Shows the window, in front of others where the desktop allows it.
  public func present() { gtk_window_present(window) }

  /// Changes the size of the window, for tests.
  package func resize(_ width: Int32, _ height: Int32) { gtk_window_set_default_size(window, width, height) }

  /// Closes the window. Idempotent.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    signals.disconnectAll()
    hideNotice()
    setWaiting(nil)
    frames?.stop()
    setCurtain(0)
    for panel in panels { closePanel(panel) }
    for view in views { gtk_overlay_remove_overlay(overlay, view.widget) }
    views = []
    shifts = [:]
    gtk_window_destroy(window)
  }

  // MARK: - Notices

  /// Covers the views with a page of our own: what happened, and one button.
  public func show(_ text: ContentNotice.Text, onPress: @escaping @MainActor () -> Void) {
    hideNotice()
    let notice = ContentNotice(text) { [weak self] in
      self?.hideNotice()
      onPress()
    }
    self.notice = notice
    gtk_overlay_add_overlay(overlay, notice.widget)
    notice.focus()
  }

  public func hideNotice() {
    guard let notice else { return }
    self.notice = nil
    notice.end()
    gtk_overlay_remove_overlay(overlay, notice.widget)
  }

  /// A sentence in the middle of the window, for as long as the views show nothing; nil ends it. It takes no input.
  package func setWaiting(_ text: String?) {
    if let waiting { gtk_overlay_remove_overlay(overlay, waiting) }
    waiting = nil
    guard let text, !isClosed, let label = gtk_label_new(text) else { return }
    gtk_widget_add_css_class(label, "title-2")
    gtk_widget_set_can_target(label, 0)
    gtk_overlay_add_overlay(overlay, label)
    waiting = label
  }

  /// Whether `setWaiting` shows a sentence.
  package var showsWaiting: Bool { waiting != nil }

  /// Opens a panel in the middle of the window, over the views.
  ///
  /// - Returns: nil if the window is closed.
  public func openPanel(label: String, button: String, onPress: @escaping @MainActor () -> Void) -> ContentPanel? {
    guard !isClosed else { return nil }
    let panel = ContentPanel(label: label, button: button, onPress: onPress)
    panels.append(panel)
    gtk_overlay_add_overlay(overlay, panel.widget)
    panel.focus()
    return panel
  }

  public func closePanel(_ panel: ContentPanel) {
    guard let index = panels.firstIndex(where: { $0 === panel }) else { return }
    panels.remove(at: index)
    panel.end()
    gtk_overlay_remove_overlay(overlay, panel.widget)
    // The focus was in the panel.
    if let front { gtk_widget_grab_focus(front.widget) }
  }

  /// The panels that are open, for tests.
  package private(set) var panels: [ContentPanel] = []

  /// The widget with the views and everything above them.
  package var contentWidget: UnsafeMutablePointer<GtkWidget> { object(overlay) }

  /// The size of the area that the views share.
  public var contentSize: (width: Int, height: Int) {
    let widget: UnsafeMutablePointer<GtkWidget> = object(overlay)
    return (Int(gtk_widget_get_width(widget)), Int(gtk_widget_get_height(widget)))
  }

  public var showsNotice: Bool { notice != nil }

  /// Presses the button of the notice, for tests.
  package func pressNotice() { notice?.press() }

  // MARK: - Movement

  /// Changes what a view looks like; it receives input as before (`setShown`).
  ///
  /// - Parameters:
  ///   - view: a view of this window.
  ///   - opacity: 0…1. At 0 the view is drawn so that nobody sees it, below or above others.
  ///   - shift: how far the view is moved to the right, in pixels of the desktop.
  public func move(_ view: ContentView, opacity: Double, shift: Double) {
    gtk_widget_set_opacity(view.widget, max(Self.leastOpacity, opacity))
    let key = UnsafeMutableRawPointer(view.widget)
    guard shifts[key, default: 0] != shift else { return }
    shifts[key] = shift == 0 ? nil : shift
    gtk_widget_queue_allocate(object(overlay))
  }

  /// The opacity of everything in the window.
  public func setOpacity(_ opacity: Double) { gtk_widget_set_opacity(object(overlay), opacity) }

  /// Covers all views with the colour of the window. The curtain takes no input.
  public func setCurtain(_ opacity: Double) {
    guard opacity > 0 else {
      if let curtain { gtk_overlay_remove_overlay(overlay, curtain) }
      curtain = nil
      return
    }
    if curtain == nil, let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) {
      gtk_widget_add_css_class(box, "background")
      gtk_widget_set_can_target(box, 0)
      gtk_overlay_add_overlay(overlay, box)
      curtain = box
    }
    if let curtain { gtk_widget_set_opacity(curtain, opacity) }
  }

  /// Calls the function before each frame that the window draws, until it returns false. It receives the time of the
  /// frame by the clock of `MainLoop.now`. A second call replaces the function.
  public func onEachFrame(_ body: @escaping @MainActor (Duration) -> Bool) {
    frames?.stop()
    frames = isClosed ? nil : FrameCallbacks(of: object(overlay), body)
  }

  /// Whether the user wants animations.
  public static var showsAnimations: Bool { MainLoop.setting("gtk-enable-animations") ?? true }

  private func placeMovedViews() {
    signals.answer(
      gpointer(overlay), "get-child-position", self, gpointer?.self, UnsafeMutablePointer<GdkRectangle>?.self
    ) { window, child, rectangle in
      guard let child, let rectangle, let shift = window.shifts[child] else { return false }
      let widget: UnsafeMutablePointer<GtkWidget> = object(window.overlay)
      rectangle.pointee = GdkRectangle(
        x: gint(shift.rounded()), y: 0, width: gtk_widget_get_width(widget), height: gtk_widget_get_height(widget))
      return true
    }
  }

  // MARK: - Keys

  private func addButtons() {
    let gesture = gtk_gesture_click_new()!
    gtk_gesture_single_set_button(gesture, 0)
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    signals.on(gpointer(gesture), "pressed", self) {
      $0.lastInput = MainLoop.now
      if gtk_gesture_single_get_current_button(gesture) == 8 { $0.onBack?() }
    }
    gtk_widget_add_controller(object(window), gesture)
  }

  private func addKeys() {
    let keys = gtk_event_controller_key_new()!
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
    signals.answer(gpointer(keys), "key-pressed", self, guint.self, guint.self, GdkModifierType.self) {
      window, key, _, modifiers in window.pressed(key, modifiers)
    }
    // Takes the controller.
    gtk_widget_add_controller(object(window), keys)
  }

  /// - Returns: whether the key was for the window.
  private func pressed(_ key: guint, _ modifiers: GdkModifierType) -> Bool {
    lastInput = MainLoop.now
    func has(_ modifier: GdkModifierType) -> Bool { modifiers.rawValue & modifier.rawValue != 0 }
    if Int32(bitPattern: key) == GDK_KEY_Escape, panels.isEmpty, let onBack {
      onBack()
      return true
    }
    guard has(GDK_CONTROL_MASK) else { return false }
    switch Int32(bitPattern: key) {
    case GDK_KEY_q, GDK_KEY_Q:
      guard !isKiosk || (has(GDK_ALT_MASK) && has(GDK_SHIFT_MASK)) else { return true }
      onCloseRequest?()
    case GDK_KEY_w:
      if !isKiosk { onCloseRequest?() }
    case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: zoom { $0 * 1.1 }
    case GDK_KEY_minus, GDK_KEY_KP_Subtract: zoom { $0 / 1.1 }
    case GDK_KEY_0, GDK_KEY_KP_0: zoom { _ in 1 }
    default: return false
    }
    return true
  }

  private func zoom(_ change: (Double) -> Double) {
    for view in views where view.behavior.zooms { view.zoom = change(view.zoom) }
  }
}
