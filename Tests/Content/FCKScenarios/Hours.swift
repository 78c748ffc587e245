import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge
import TesseraWebContent

/// A time without its day, on a screen that is shown again, and texts that are no hour.
@MainActor
enum Hours {
  private static let document = #"""
    {"version": 1, "screens": [
      {"id": "a", "type": "informational", "root": {"id": "r", "type": "stack", "children": [
        {"id": "go", "type": "button", "text": "Next", "action": "next"}]}},
      {"id": "b", "type": "question", "root": {"id": "r", "type": "stack", "children": [
        {"id": "both", "type": "datepicker", "label": "Appointment", "mode": "datetime"},
        {"id": "back", "type": "button", "text": "Back", "action": "back"},
        {"id": "go", "type": "button", "text": "Next", "action": "complete"}]}}]}
    """#

  /// The parts of the field on the shown screen, with its popover open.
  private struct Field {
    let label: UnsafeMutablePointer<GtkWidget>
    let hour: UnsafeMutablePointer<GtkWidget>
    let minute: UnsafeMutablePointer<GtkWidget>
    let choose: UnsafeMutablePointer<GtkWidget>
    let popover: UnsafeMutablePointer<GtkWidget>
  }

  static func run(_ arguments: [String]) async throws {
    var problems: [FlowProblem] = []
    let shown = try await ShownFlow(try FlowConfig(Array(document.utf8), problems: &problems))
    try await press("go", shown)
    var field = try await open(shown)
    func note(_ name: String) async throws {
      let parts = [text(field.label)] + [field.hour, field.minute].map(typed)
      let told = try await shown.texts().filter { $0.hasPrefix("This") }
      observe(name, .array((parts + told).map { .string($0) }))
    }
    func answer(_ name: String) {
      observe(name, .string(String((shown.view.answers["both"] ?? "none").dropFirst(10))))
    }
    gtk_spin_button_set_value(OpaquePointer(field.hour), 8)
    gtk_spin_button_set_value(OpaquePointer(field.minute), 30)
    try await close(shown, field)
    try await press("back", shown)
    try await press("go", shown)
    field = try await open(shown)
    try await note("again")
    try await shown.press(field.choose)
    answer("day chosen")
    // A text that is no hour, when the focus leaves it.
    field = try await open(shown)
    for (name, text) in [("beyond", "25"), ("empty", ""), ("good", "9"), ("same", "99"), ("back to it", "09")] {
      gtk_editable_set_text(OpaquePointer(field.hour), text)
      gtk_spin_button_update(OpaquePointer(field.hour))
      try await note(name)
      answer("answer \(name)")
    }
    // The same at “Choose”, and the way forward.
    gtk_editable_set_text(OpaquePointer(field.hour), "24")
    try await shown.press(field.choose)
    try await note("chosen")
    try await press("go", shown)
    observe("ended", .bool(shown.report != nil))
    // The texts are those of the field when it is made again, and a step makes a number of one.
    try await press("back", shown)
    try await press("go", shown)
    field = try await open(shown)
    try await note("made again")
    gtk_spin_button_update(OpaquePointer(field.hour))
    gtk_spin_button_spin(OpaquePointer(field.hour), GTK_SPIN_STEP_FORWARD, 0)
    try await note("stepped")
    answer("answer stepped")
    try await close(shown, field)
    try await press("go", shown)
    observe("ended after", .bool(shown.report != nil))
    await shown.close()
  }

  private static func open(_ shown: ShownFlow) async throws -> Field {
    guard let control = shown.view.control(of: "both"),
      let popover: UnsafeMutablePointer<GtkWidget> = gtk_menu_button_get_popover(OpaquePointer(control)).map({
        object($0)
      }), let label = WidgetTree.first("GtkLabel", in: control),
      let choose = WidgetTree.all("GtkButton", in: popover).last(where: { WidgetTree.texts($0) == ["Choose"] })
    else { throw ScenarioError(description: "no field") }
    let spins = WidgetTree.all("GtkSpinButton", in: popover)
    guard spins.count == 2 else { throw ScenarioError(description: "no time") }
    gtk_menu_button_popup(OpaquePointer(control))
    try await shown.until { gtk_widget_get_mapped(popover) != 0 }
    return Field(label: label, hour: spins[0], minute: spins[1], choose: choose, popover: popover)
  }

  private static func close(_ shown: ShownFlow, _ field: Field) async throws {
    if let control = shown.view.control(of: "both") { gtk_menu_button_popdown(OpaquePointer(control)) }
    try await shown.until { gtk_widget_get_mapped(field.popover) == 0 }
  }

  private static func press(_ id: String, _ shown: ShownFlow) async throws {
    guard let button = shown.view.control(of: id) else { throw ScenarioError(description: "no button \(id)") }
    try await shown.press(button)
    if shown.report == nil { try await shown.settle() }
  }

  private static func typed(_ spin: UnsafeMutablePointer<GtkWidget>) -> String {
    gtk_editable_get_text(OpaquePointer(spin)).map { String(cString: $0) } ?? ""
  }

  private static func text(_ label: UnsafeMutablePointer<GtkWidget>) -> String {
    let text = gtk_label_get_text(OpaquePointer(label)).map { String(cString: $0) } ?? ""
    // The day is today's.
    return text.split(separator: " ").last.map(String.init) ?? ""
  }
}
