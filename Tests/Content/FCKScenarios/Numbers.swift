import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge

/// A number that is typed, then stepped, and typed again. Without a locale.
@MainActor
enum Numbers {
  static func run(_ arguments: [String]) async throws {
    // The range, and what the user does: a text is typed, + and - are steps.
    for (name, range, actions) in [
      ("typed", #""max": 100"#, ["7", "+", "+", "-", "50", "-"]),
      ("empty", #""min": -5, "max": 5"#, ["-", "-", "", "+"]),
      ("comma", #""max": 3, "step": 0.5"#, ["1,5", "+", "+", "+", "+"]),
      ("odd", #""max": 10, "step": 4"#, ["+", "+", "+", "-"]),
      ("words", #""max": 100"#, ["seven", "+", "7", "+"]), ("thousand", #""max": 9000"#, ["1,000", "+"]),
      ("beyond", #""max": 100"#, ["250", "-"]),
    ] {
      observe(name, try await texts(range, actions))
    }
  }

  /// The text of the field after each action, and the answer at the end.
  private static func texts(_ range: String, _ actions: [String]) async throws -> JSONValue {
    let document = """
      {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
        {"id": "n", "type": "number", "showStepper": true, \(range)}]}}]}
      """
    var problems: [FlowProblem] = []
    var services = FCKServices.recorded()
    services.numberFormat = FlowNumberFormat(locale: "C")
    let shown = try await ShownFlow(try FlowConfig(Array(document.utf8), problems: &problems), services: services)
    guard let spin = shown.view.control(of: "n") else { throw ScenarioError(description: "no number") }
    var texts: [JSONValue] = []
    for action in actions {
      switch action {
      case "+": step(spin, GTK_SPIN_STEP_FORWARD)
      case "-": step(spin, GTK_SPIN_STEP_BACKWARD)
      default: gtk_editable_set_text(OpaquePointer(spin), action)
      }
      texts.append(.string(gtk_editable_get_text(OpaquePointer(spin)).map { String(cString: $0) } ?? ""))
    }
    texts.append(.string(shown.view.answers["n"] ?? "none"))
    await shown.close()
    return .array(texts)
  }

  /// What a press on a button or an arrow key does: GTK reads the text first.
  private static func step(_ spin: UnsafeMutablePointer<GtkWidget>, _ way: GtkSpinType) {
    gtk_spin_button_update(OpaquePointer(spin))
    gtk_spin_button_spin(OpaquePointer(spin), way, 0)
  }
}
