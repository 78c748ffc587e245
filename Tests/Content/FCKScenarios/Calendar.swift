import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge
import TesseraWebContent

/// An open calendar that a pointer uses: says where to click (`next month`, `day`), and what a click did. Ends when a
/// day is chosen.
@MainActor
enum Calendar {
  private static let document = #"""
    {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
      {"id": "born", "type": "datepicker", "label": "Birthday"}]}}]}
    """#

  static func run(_ arguments: [String]) async throws {
    var problems: [FlowProblem] = []
    let shown = try await ShownFlow(try FlowConfig(Array(document.utf8), problems: &problems))
    guard let control = shown.view.control(of: "born"),
      let popover: UnsafeMutablePointer<GtkWidget> = gtk_menu_button_get_popover(OpaquePointer(control)).map({
        object($0)
      }), let calendar = WidgetTree.first("GtkCalendar", in: popover)
    else { throw ScenarioError(description: "no calendar") }
    gtk_menu_button_popup(OpaquePointer(control))
    try await shown.until { gtk_widget_get_mapped(popover) != 0 && gtk_widget_get_width(calendar) > 0 }
    let buttons = WidgetTree.all("GtkButton", in: calendar)
    let first = text(calendar)
    observe("next month", try await place(buttons[1], popover, shown))
    try await shown.until { text(calendar) != first }
    observe("browsed", .string(shown.view.answers["born"] ?? "nothing"))
    // The day that the calendar shows as selected, which it does not tell again.
    let day = text(calendar)
    let number = day.suffix(2).hasPrefix("0") ? String(day.suffix(1)) : String(day.suffix(2))
    guard
      let label = WidgetTree.all("GtkLabel", in: calendar).first(where: {
        gtk_widget_has_css_class($0, "day-number") != 0 && gtk_widget_has_css_class($0, "other-month") == 0
          && WidgetTree.texts($0) == [number]
      })
    else { throw ScenarioError(description: "no day \(number)") }
    observe("day", try await place(label, popover, shown))
    try await shown.until { shown.view.answers["born"] != nil }
    observe("chosen", .bool(shown.view.answers["born"] == day + "T00:00:00Z"))
    await shown.close()
  }

  private static func text(_ calendar: UnsafeMutablePointer<GtkWidget>) -> String {
    guard let date = gtk_calendar_get_date(OpaquePointer(calendar)) else { return "" }
    defer { g_date_time_unref(date) }
    return takenText(g_date_time_format(date, "%Y-%m-%d")) ?? ""
  }

  /// The middle of a widget, in pixels from the corner of the window, once it is at rest.
  private static func place(
    _ widget: UnsafeMutablePointer<GtkWidget>, _ popover: UnsafeMutablePointer<GtkWidget>, _ shown: ShownFlow
  ) async throws -> JSONValue {
    try await letPass(.milliseconds(100))
    var box = graphene_rect_t()
    guard gtk_widget_compute_bounds(widget, popover, &box) != 0,
      let surface = gtk_native_get_surface(OpaquePointer(popover))
    else { throw ScenarioError(description: "the widget is nowhere") }
    var (left, top): (Double, Double) = (0, 0)
    gtk_native_get_surface_transform(OpaquePointer(popover), &left, &top)
    let x = Double(gdk_popup_get_position_x(surface)) + left + Double(box.origin.x + box.size.width / 2)
    let y = Double(gdk_popup_get_position_y(surface)) + top + Double(box.origin.y + box.size.height / 2)
    return [.integer(Int64(x)), .integer(Int64(y))]
  }
}
