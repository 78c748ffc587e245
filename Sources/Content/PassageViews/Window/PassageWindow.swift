internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraWebContent

/// The window with both views, of which one is opaque, and the buttons above them (Passage.md, rules 9, 14 and 15).
@MainActor
final class PassageWindow {
  /// What the user does.
  struct Hooks {
    var back: @MainActor () -> Void = {}
    var close: @MainActor () -> Void = {}
    /// The window manager wants to close the window.
    var windowClosed: @MainActor () -> Void = {}
    var appState: @MainActor (AppState) -> Void = { _ in }
  }

  /// How long views and buttons take to appear.
  static let fade = Duration.milliseconds(200)

  let window: ContentWindow
  private let hooks: Hooks
  private let signals = Signals()
  private let surfaceSignals = Signals()
  private let backRevealer: UnsafeMutablePointer<GtkWidget>
  private let closeButton: UnsafeMutablePointer<GtkWidget>
  let sign: UnsafeMutablePointer<GtkWidget>
  private var actions: [ButtonAction] = []
  private var pages: [PassageView: ContentView] = [:]
  private(set) var visible = PassageView.ui
  private var fading: Task<Void, Never>?
  private var signTask: Task<Void, Never>?
  private var state: AppState?
  private var isCloseHeld = false
  private var isClosed = false
  /// The question that is shown.
  var question: QuestionPanel?
  /// The title when no question is shown.
  var title: String { didSet { if question == nil { window.title = title } } }

  init(title: String, fillsScreen: Bool, hooks: Hooks) {
    WindowStyle.install()
    self.hooks = hooks
    self.title = title
    window = ContentWindow(title: title)
    if fillsScreen { window.fillScreen() }
    let back = WidgetHelp.glyph("go-previous-symbolic", size: 26, label: "Back (Alt+Left)")
    backRevealer = gtk_revealer_new()
    gtk_revealer_set_child(OpaquePointer(backRevealer), back)
    gtk_revealer_set_transition_type(OpaquePointer(backRevealer), GTK_REVEALER_TRANSITION_TYPE_CROSSFADE)
    gtk_revealer_set_transition_duration(OpaquePointer(backRevealer), 200)
    closeButton = WidgetHelp.glyph("window-close-symbolic", size: 32, label: "Close (Ctrl+W)")
    sign = WidgetHelp.text("● A picture of this window is sent", style: "passage-sign")
    place(backRevealer, GTK_ALIGN_START)
    place(closeButton, GTK_ALIGN_END)
    place(sign, GTK_ALIGN_CENTER)
    gtk_widget_set_visible(sign, 0)
    gtk_widget_set_can_target(sign, 0)
    gtk_widget_set_visible(backRevealer, 0)
    actions = [ButtonAction(hooks.back), ButtonAction(hooks.close)]
    WidgetHelp.onClick(back, signals, actions[0])
    WidgetHelp.onClick(closeButton, signals, actions[1])
    window.onCloseRequest = hooks.windowClosed
    addKeys()
    followState()
  }

  private func place(_ widget: UnsafeMutablePointer<GtkWidget>, _ side: GtkAlign) {
    gtk_widget_set_halign(widget, side)
    gtk_widget_set_valign(widget, GTK_ALIGN_START)
    WidgetHelp.margins(widget, 8)
    gtk_overlay_add_overlay(OpaquePointer(window.contentWidget), widget)
  }

  func present() { window.present() }

  func hide() { gtk_widget_set_visible(object(window.window), 0) }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    fading?.cancel()
    signTask?.cancel()
    signals.disconnectAll()
    surfaceSignals.disconnectAll()
    window.close()
  }

  // MARK: - The views

  /// Puts a view in the window, in place of the one that was there.
  func set(_ view: ContentView, as kind: PassageView) {
    if let old = pages[kind] { window.remove(old) }
    pages[kind] = view
    window.add(view)
    // Below the buttons and panels.
    gtk_widget_insert_after(view.widget, window.contentWidget, pages.values.first { $0 !== view }?.widget)
    window.setShown(kind == visible, view)
    view.setDialogs(areSeen: kind == visible)
    if let front = pages[visible] { window.raise(front) }
    keepOrder()
    question?.focus()
  }

  /// Gives the keys to the page that the user sees.
  func focusPage() {
    if let page = pages[visible] { gtk_widget_grab_focus(page.widget) }
  }

  /// Makes this view opaque and the other one transparent.
  func show(_ kind: PassageView, then done: @escaping @MainActor () -> Void) {
    fading?.cancel()
    let other: PassageView = kind == .ui ? .automation : .ui
    visible = kind
    guard let shown = pages[kind], let hidden = pages[other] else { return done() }
    window.setShown(false, hidden)
    window.setShown(true, shown)
    shown.setDialogs(areSeen: true)
    hidden.setDialogs(areSeen: false)
    let duration = ContentWindow.showsAnimations ? Self.fade : .zero
    let start = MainLoop.now
    draw(shown, hidden, 0)
    window.onEachFrame { [weak self] now in
      guard let self, visible == kind, duration > .zero else { return false }
      let progress = min(1, max(0, (now - start) / duration))
      draw(shown, hidden, progress)
      return progress < 1
    }
    // A window that nobody sees draws no frames.
    fading = Task { [weak self] in
      guard (try? await Task.sleep(for: duration)) != nil else { return }
      self?.draw(shown, hidden, 1)
      done()
    }
  }

  /// - Parameter progress: 0…1, in time.
  private func draw(_ shown: ContentView, _ hidden: ContentView, _ progress: Double) {
    let eased = progress < 0.5 ? 2 * progress * progress : 1 - 2 * (1 - progress) * (1 - progress)
    window.move(shown, opacity: eased, shift: 0)
    window.move(hidden, opacity: 1 - eased, shift: 0)
  }

  /// The opacity of a view, for tests.
  func opacity(_ kind: PassageView) -> Double { pages[kind].map { gtk_widget_get_opacity($0.widget) } ?? 0 }

  // MARK: - The buttons and the sign

  func setBackButton(isVisible: Bool) {
    gtk_widget_set_visible(backRevealer, 1)
    gtk_widget_set_can_target(backRevealer, isVisible.gboolean)
    gtk_widget_set_can_focus(backRevealer, isVisible.gboolean)
    gtk_revealer_set_reveal_child(OpaquePointer(backRevealer), isVisible.gboolean)
  }

  /// Shows for a while that a picture was taken.
  func showSign() {
    signTask?.cancel()
    gtk_widget_set_visible(sign, 1)
    signTask = Task { [weak self] in
      guard (try? await Task.sleep(for: .seconds(2))) != nil, let self else { return }
      gtk_widget_set_visible(sign, 0)
    }
  }

  /// Alt+Left, and the back button of the pointing device; Ctrl+W, since a page can keep the Tab key in itself. Escape
  /// stays the page's.
  private func addKeys() {
    let keys = gtk_event_controller_key_new()!
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
    signals.answer(gpointer(keys), "key-pressed", self, guint.self, guint.self, GdkModifierType.self) {
      window, key, _, modifiers in
      switch (Int32(bitPattern: key), modifiers.rawValue) {
      case (GDK_KEY_Left, let held) where held & GDK_ALT_MASK.rawValue != 0: window.wantBack()
      case (GDK_KEY_w, let held) where held & GDK_CONTROL_MASK.rawValue != 0,
        (GDK_KEY_W, let held) where held & GDK_CONTROL_MASK.rawValue != 0:
        window.wantClose()
      default: return false
      }
      return true
    }
    signals.on(gpointer(keys), "key-released", self) { $0.isCloseHeld = false }
    gtk_widget_add_controller(object(window.window), keys)
    let gesture = gtk_gesture_click_new()!
    gtk_gesture_single_set_button(gesture, 8)
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    signals.on(gpointer(gesture), "pressed", self) { $0.wantBack() }
    gtk_widget_add_controller(object(window.window), gesture)
  }

  /// The keys do what the button does, when there is one.
  private func wantBack() {
    guard question == nil, gtk_revealer_get_reveal_child(OpaquePointer(backRevealer)) != 0 else { return }
    hooks.back()
  }

  /// Keys that are held down repeat; the second press, which closes without asking, is another one.
  private func wantClose() {
    guard question == nil, !isCloseHeld else { return }
    isCloseHeld = true
    hooks.close()
  }

  // MARK: - The state of the window

  private func followState() {
    signals.on(gpointer(window.window), "notify::is-active", self) { $0.stateChanged() }
    signals.on(gpointer(window.window), "realize", self) { $0.followSurface() }
    // The surface is still there.
    signals.on(gpointer(window.window), "unrealize", self) { $0.surfaceSignals.disconnectAll() }
  }

  private func followSurface() {
    guard let surface = gtk_native_get_surface(OpaquePointer(window.window)) else { return }
    surfaceSignals.on(gpointer(surface), "notify::state", self) { $0.stateChanged() }
  }

  private func stateChanged() {
    guard !isClosed else { return }
    let surface = gtk_native_get_surface(OpaquePointer(window.window))
    let isMinimised =
      surface.map { gdk_toplevel_get_state($0).rawValue & GDK_TOPLEVEL_STATE_MINIMIZED.rawValue != 0 } ?? false
    let present: AppState =
      isMinimised ? .background : gtk_window_is_active(window.window) != 0 ? .active : .inactive
    guard present != state else { return }
    state = present
    hooks.appState(present)
  }
}
