import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge
import TesseraWebContent

/// A time that is set before its day is chosen.
@MainActor
enum Times {
  private static let document = #"""
    {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
      {"id": "both", "type": "datepicker", "label": "Appointment", "mode": "datetime"},
      {"id": "go", "type": "button", "text": "Next", "action": "next"}]}},
      {"id": "b", "type": "informational", "root": {"id": "r", "type": "stack", "children": []}}]}
    """#

  static func run(_ arguments: [String]) async throws {
    var problems: [FlowProblem] = []
    let shown = try await ShownFlow(try FlowConfig(Array(document.utf8), problems: &problems))
    guard let control = shown.view.control(of: "both"), let button = shown.view.control(of: "go"),
      let popover: UnsafeMutablePointer<GtkWidget> = gtk_menu_button_get_popover(OpaquePointer(control)).map({
        object($0)
      }), let hour = WidgetTree.first("GtkSpinButton", in: popover),
      let choose = WidgetTree.all("GtkButton", in: popover).last(where: { WidgetTree.texts($0) == ["Choose"] }),
      let field = WidgetTree.first("GtkLabel", in: control)
    else { throw ScenarioError(description: "no field") }
    func note(_ name: String) async throws {
      observe(name, .array(([labelText(field)] + (try await shown.texts())).map { .string($0) }))
    }
    gtk_menu_button_popup(OpaquePointer(control))
    try await shown.until { gtk_widget_get_mapped(popover) != 0 }
    gtk_spin_button_set_value(OpaquePointer(hour), 8)
    gtk_menu_button_popdown(OpaquePointer(control))
    try await shown.until { gtk_widget_get_mapped(popover) == 0 }
    try await note("set")
    try await shown.press(button)
    try await note("blocked")
    observe("screen", .integer(Int64(shown.view.screenIndex)))
    gtk_menu_button_popup(OpaquePointer(control))
    try await shown.until { gtk_widget_get_mapped(popover) != 0 }
    // Typed, and not left yet.
    gtk_editable_set_text(OpaquePointer(hour), "9")
    try await shown.press(choose)
    try await shown.until { gtk_widget_get_mapped(popover) == 0 }
    try await note("chosen")
    observe("time", .string(String((shown.view.answers["both"] ?? "none").dropFirst(10))))
    try await shown.press(button)
    observe("screen after", .integer(Int64(shown.view.screenIndex)))
    await shown.close()
  }

  private static func labelText(_ label: UnsafeMutablePointer<GtkWidget>) -> String {
    gtk_label_get_text(OpaquePointer(label)).map { String(cString: $0) } ?? ""
  }
}
