import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge

/// Flows that ask for more than a window has, and many screens.
@MainActor
enum Extremes {
  /// Members of an element with the id `x`.
  private static let samples = [
    ("padding", #""type": "stack", "padding": 10000, "children": [{"type": "text", "content": "A"}]"#),
    ("margin", #""type": "stack", "margin": 10000, "children": [{"type": "text", "content": "A"}]"#),
    ("border", ##""type": "stack", "borderWidth": 10000, "borderColor": "#FF0000", "children": []"##),
    (
      "spacing",
      #""type": "stack", "axis": "horizontal", "spacing": 10000, "children": [{"type": "text", "content": "A"}, "#
        + #"{"type": "text", "content": "B"}]"#
    ),
    ("width", #""type": "stack", "width": 10000, "height": 10000, "children": []"#),
    // As many characters as a text may have, and as large.
    ("text", #""type": "text", "fontSize": 500, "content": "\#(String(repeating: "W", count: 10_000))""#),
    ("lines", #""type": "text", "fontSize": 500, "content": "\#(String(repeating: "W\\n", count: 5_000))""#),
  ]

  static func run(_ arguments: [String]) async throws {
    for (name, members) in samples {
      let document = """
        {"version": 1, "screens": [{"id": "a", "type": "informational", "root": {"id": "r", "type": "stack",
          "children": [{"id": "x", \(members)}, {"id": "go", "type": "button", "text": "Go", "action": "complete"}]}}]}
        """
      var problems: [FlowProblem] = []
      let shown = try await ShownFlow(try FlowConfig(Array(document.utf8), problems: &problems))
      guard let widget = shown.view.widget(of: "x"), let button = shown.view.control(of: "go") else {
        throw ScenarioError(description: "the screen is not complete")
      }
      let window = UnsafeMutableRawPointer(shown.window).assumingMemoryBound(to: GtkWidget.self)
      observe(
        "window \(name)",
        [.integer(Int64(gtk_widget_get_width(window))), .integer(Int64(gtk_widget_get_height(window)))])
      observe("size \(name)", try size(widget, shown))
      try await shown.press(button)
      observe("end \(name)", .string(shown.report?.outcome.rawValue ?? ""))
      await shown.close()
    }
    try await manyScreens()
  }

  /// With the padding and the border.
  private static func size(_ widget: UnsafeMutablePointer<GtkWidget>, _ shown: ShownFlow) throws -> JSONValue {
    var box = graphene_rect_t()
    guard gtk_widget_compute_bounds(widget, shown.view.widget, &box) != 0 else {
      throw ScenarioError(description: "the widget is nowhere")
    }
    return [.integer(Int64(box.size.width)), .integer(Int64(box.size.height))]
  }

  /// The style of a screen that nobody sees any more leaves the display.
  private static func manyScreens() async throws {
    let screens = (0..<12).map {
      #"{"id": "s\#($0)", "type": "informational", "root": {"id": "r", "type": "stack", "padding": \#($0), "#
        + #""children": [{"id": "go", "type": "button", "text": "Go", "action": "next"}]}}"#
    }
    var problems: [FlowProblem] = []
    let document = #"{"version": 1, "screens": [\#(screens.joined(separator: ", "))]}"#
    let shown = try await ShownFlow(try FlowConfig(Array(document.utf8), problems: &problems))
    let first = OnboardingFlowView.styleCount
    for _ in 0..<11 {
      shown.view.receive(.tap("go"))
      try await shown.settle()
    }
    observe("styles", [.integer(Int64(first)), .integer(Int64(OnboardingFlowView.styleCount))])
    await shown.close()
  }
}
