import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge
import TesseraWebContent

/// What is in a window of GTK.
@MainActor
enum WidgetTree {
  static func className(_ widget: UnsafeMutablePointer<GtkWidget>) -> String {
    let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
    return g_type_name_from_instance(instance).map { String(cString: $0) } ?? ""
  }

  static func children(_ widget: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
    var children: [UnsafeMutablePointer<GtkWidget>] = []
    var next = gtk_widget_get_first_child(widget)
    while let child = next {
      children.append(child)
      next = gtk_widget_get_next_sibling(child)
    }
    return children
  }

  /// The classes of a widget and of what is in it, `Class(Class Class)`. The inner parts of GTK's own controls are
  /// left out.
  static func classes(_ widget: UnsafeMutablePointer<GtkWidget>) -> String {
    let name = className(widget)
    let whole: Set = [
      "GtkEntry", "GtkSpinButton", "GtkSwitch", "GtkMenuButton", "GtkProgressBar", "GtkLabel", "GtkPicture",
      "GtkSpinner",
    ]
    guard !whole.contains(name) else { return name }
    var parts = children(widget)
    if name == "GtkCheckButton" { parts.removeAll { className($0) == "GtkBuiltinIcon" } }
    return parts.isEmpty ? name : "\(name)(\(parts.map(classes).joined(separator: " ")))"
  }

  /// The texts that a user sees, in their order; without those that stand in fields.
  static func texts(_ widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
    guard gtk_widget_get_visible(widget) != 0 else { return [] }
    switch className(widget) {
    case "GtkEntry", "GtkSpinButton", "GtkMenuButton": return []
    case "GtkLabel":
      let text = gtk_label_get_text(OpaquePointer(widget)).map { String(cString: $0) } ?? ""
      return text.isEmpty ? [] : [text]
    default: return children(widget).flatMap(texts)
    }
  }

  /// The first of the widgets with this class, in their order.
  static func first(
    _ name: String, in widget: UnsafeMutablePointer<GtkWidget>
  ) -> UnsafeMutablePointer<GtkWidget>? {
    if className(widget) == name { return widget }
    for child in children(widget) {
      if let found = first(name, in: child) { return found }
    }
    return nil
  }

  static func all(_ name: String, in widget: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
    (className(widget) == name ? [widget] : []) + children(widget).flatMap { all(name, in: $0) }
  }
}

/// A flow in a window of the test's.
@MainActor
final class ShownFlow {
  let view: OnboardingFlowView
  private(set) var report: FlowReport?
  let window: UnsafeMutablePointer<GtkWindow>

  init(
    _ flow: FlowConfig, usesPage: Bool = false, services: FCKServices = .recorded(),
    width: Int32 = 420, height: Int32 = 780
  ) async throws {
    let box = Box()
    let onboarding = FCKOnboarding(services: services)
    view = OnboardingFlowView(flow, of: onboarding, usesPage: usesPage) { box.owner?.report = $0 }
    window = UnsafeMutableRawPointer(gtk_window_new()!).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_default_size(window, width, height)
    gtk_window_set_child(window, view.widget)
    box.owner = self
    view.begin()
    gtk_window_present(window)
    view.focusFirst()
    try await settle()
  }

  private final class Box { weak var owner: ShownFlow? }

  /// Waits until the window was drawn, and the page is there.
  func settle() async throws {
    if let page = view.page {
      try await until { page.document != nil }
      try await until { try await page.evaluate("document.readyState === 'complete'") == "true" }
      await page.settle()
    } else {
      try await until { gtk_widget_get_height(self.view.widget) > 0 }
      // While one screen follows another, both are there.
      try await until {
        WidgetTree.first("GtkStack", in: self.view.widget).map {
          gtk_stack_get_transition_running(OpaquePointer($0)) == 0
        } ?? true
      }
      try await letPass(.milliseconds(100))
    }
  }

  func until(_ condition: () async throws -> Bool) async throws {
    // The page may not be there yet.
    guard try await becomesTrue(within: .seconds(30), { (try? await condition()) == true }) else {
      throw ScenarioError(description: "nothing happened within 30 seconds")
    }
  }

  /// Presses a widget as the keyboard does: a button looks pressed for a moment, and then acts.
  func press(_ widget: UnsafeMutablePointer<GtkWidget>) async throws {
    g_object_ref(gpointer(widget))
    defer { g_object_unref(gpointer(widget)) }
    gtk_widget_activate(widget)
    try await until { gtk_widget_get_state_flags(widget).rawValue & GTK_STATE_FLAG_ACTIVE.rawValue == 0 }
    try await letPass(.milliseconds(400))
  }

  /// The texts that a user sees, in their order.
  func texts() async throws -> [String] {
    guard let page = view.page else { return WidgetTree.texts(view.widget) }
    let script = """
      [...document.getElementById('fck').querySelectorAll(
        'p, .fck-label, .fck-icon, .fck-flag, .fck-name, button:not(.fck-step)')]
        .filter((element) => element.children.length === 0)
        .flatMap((element) => {
          const isMarked = element.dataset.required && getComputedStyle(element, '::after').content !== 'none';
          return [element.textContent, isMarked ? element.dataset.required : ''];
        }).filter((text) => text !== '')
      """
    guard let text = try await page.evaluate(script), case .array(let texts) = try JSONValue(text: text) else {
      return []
    }
    return texts.compactMap(\.stringValue)
  }

  func close() async {
    gtk_window_set_child(window, nil)
    gtk_window_destroy(window)
    await view.end()
  }
}
