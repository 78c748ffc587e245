import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge
import TesseraWebContent

/// Lengths that depend on the window, before and after the window changes its size; and what a redraw leaves.
@MainActor
enum Resizing {
  private static let document = #"""
    {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack",
      "distribution": "space-between", "alignItems": "left", "children": [
      {"id": "half", "type": "progressbar", "width": "50%", "progress": 10},
      {"id": "tenth", "type": "stack", "width": "10vw", "height": "20vh", "backgroundColor": "#112233"},
      {"id": "row", "type": "stack", "axis": "horizontal", "width": "fill", "height": "40px",
        "distribution": "space-between", "children": [
        {"id": "left", "type": "stack", "width": "30px", "height": "10px", "children": []},
        {"id": "right", "type": "stack", "width": "25%", "height": "10px", "children": []}]},
      {"id": "name", "type": "input", "variableKey": "name", "required": true},
      {"id": "go", "type": "button", "text": "Go", "action": "complete"}]}}]}
    """#

  static func run(_ arguments: [String]) async throws {
    var problems: [FlowProblem] = []
    let shown = try await ShownFlow(
      try FlowConfig(Array(document.utf8), problems: &problems), width: 400, height: 600)
    observe("small", try sizes(shown))
    gtk_window_set_default_size(shown.window, 800, 900)
    try await shown.until { gtk_widget_get_width(shown.view.widget) == 800 }
    try await shown.settle()
    observe("large", try sizes(shown))
    try await typing(shown)
    await shown.close()
  }

  private static func sizes(_ shown: ShownFlow) throws -> JSONValue {
    var sizes: JSONObject = [:]
    for id in ["half", "tenth", "row", "left", "right", "go"] {
      guard let widget = shown.view.widget(of: id) else { throw ScenarioError(description: "no element \(id)") }
      // The box with its padding and its border.
      var box = graphene_rect_t()
      guard gtk_widget_compute_bounds(widget, shown.view.widget, &box) != 0 else {
        throw ScenarioError(description: "\(id) is nowhere")
      }
      let numbers = [box.origin.x, box.origin.y, box.size.width, box.size.height].map { Int($0.rounded()) }
      sizes[id] = .array(numbers.map { .integer(Int64($0)) })
    }
    return .object(sizes)
  }

  /// A field that is drawn again keeps the focus and the caret.
  private static func typing(_ shown: ShownFlow) async throws {
    guard let entry = shown.view.control(of: "name"), let button = shown.view.control(of: "go") else { return }
    try await shown.press(button)
    observe("problem", .array(WidgetTree.texts(shown.view.widget).map { .string($0) }))
    observe("focus at the problem", .bool(gtk_widget_is_ancestor(gtk_window_get_focus(shown.window), entry) != 0))
    gtk_editable_set_text(OpaquePointer(entry), "Adam")
    gtk_editable_set_position(OpaquePointer(entry), 2)
    // The mark disappears, so the field is drawn again.
    var caret: gint = 2
    gtk_editable_insert_text(OpaquePointer(entry), "x", 1, &caret)
    try await shown.settle()
    observe("same entry", .bool(shown.view.control(of: "name") == entry))
    observe("text", .string(gtk_editable_get_text(OpaquePointer(entry)).map { String(cString: $0) } ?? ""))
    observe("after", .array(WidgetTree.texts(shown.view.widget).map { .string($0) }))
    observe("focus after", .bool(gtk_widget_is_ancestor(gtk_window_get_focus(shown.window), entry) != 0))
  }
}
