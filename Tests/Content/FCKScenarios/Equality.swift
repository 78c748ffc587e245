import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge
import TesseraWebContent

/// Goes through each sample, as a user does with the widgets or with the page, and prints the texts after each step
/// and the answers at the end. Argument: `gtk` or `html`.
@MainActor
enum Equality {
  static func run(_ arguments: [String]) async throws {
    for sample in FlowSample.all {
      var services = FCKServices.recorded()
      services.numberFormat = FlowNumberFormat(locale: sample.locale)
      let shown = try await ShownFlow(
        try sample.flow(), usesPage: arguments.first == "html", services: services)
      var texts: [JSONValue] = [.array(try await shown.texts().map { .string($0) })]
      for step in sample.steps {
        if shown.view.page == nil { try await take(step, shown) } else { try await takeInPage(step, shown) }
        try await shown.settle()
        guard shown.report == nil else { break }
        texts.append(.array(try await shown.texts().map { .string($0) }))
      }
      try await shown.until { shown.report != nil }
      observe("texts \(sample.name)", .array(texts))
      observe("outcome \(sample.name)", .string(shown.report?.outcome.rawValue ?? ""))
      observe(
        "answers \(sample.name)",
        .array((shown.report?.answers.all ?? []).map { .string("\($0.key)=\($0.value)") }))
      if let page = shown.view.page {
        observe("title \(sample.name)", .string(page.title))
        observe(
          "scripts \(sample.name)", try JSONValue(text: try await page.evaluate("document.scripts.length") ?? "null"))
      }
      await shown.close()
    }
  }

  /// Changes the widget as its own handlers of keys and clicks do.
  private static func take(_ step: FlowSample.Step, _ shown: ShownFlow) async throws {
    func control(_ id: String) throws -> UnsafeMutablePointer<GtkWidget> {
      guard let control = shown.view.control(of: id) else { throw ScenarioError(description: "no element \(id)") }
      return control
    }
    switch step {
    case .type(let id, let text):
      gtk_editable_set_text(OpaquePointer(try control(id)), text)
      // As the page's script does, the user leaves the field.
      shown.view.receive(.commit(id))
    case .step(let id, let count):
      gtk_spin_button_spin(
        OpaquePointer(try control(id)), count > 0 ? GTK_SPIN_STEP_FORWARD : GTK_SPIN_STEP_BACKWARD, 0)
    case .toggle(let id):
      let control = OpaquePointer(try control(id))
      gtk_switch_set_active(control, gtk_switch_get_active(control) == 0 ? 1 : 0)
    case .date(let id, let text): try await choose(text, try control(id), shown)
    case .option(let id, let index):
      guard let widget = shown.view.widget(of: id) else { throw ScenarioError(description: "no element \(id)") }
      try await shown.press(WidgetTree.all("GtkCheckButton", in: widget)[index])
    case .press(let id): try await shown.press(try control(id))
    }
  }

  /// Opens the popover, sets the calendar and the time in it, and presses its last button.
  private static func choose(
    _ text: String, _ control: UnsafeMutablePointer<GtkWidget>, _ shown: ShownFlow
  ) async throws {
    let mode: FlowDatePicker.Mode = !text.contains(":") ? .date : text.contains("-") ? .datetime : .time
    guard let value = FlowDateTime(text, mode: mode),
      let popover: UnsafeMutablePointer<GtkWidget> = gtk_menu_button_get_popover(OpaquePointer(control)).map({
        object($0)
      })
    else { throw ScenarioError(description: "no popover") }
    gtk_menu_button_popup(OpaquePointer(control))
    try await shown.until { gtk_widget_get_mapped(popover) != 0 }
    if let calendar = WidgetTree.first("GtkCalendar", in: popover),
      let day = g_date_time_new_utc(gint(value.year), gint(value.month), gint(value.day), 0, 0, 0)
    {
      gtk_calendar_select_day(OpaquePointer(calendar), day)
      g_date_time_unref(day)
    }
    for (spin, number) in zip(WidgetTree.all("GtkSpinButton", in: popover), [value.hour, value.minute]) {
      gtk_spin_button_set_value(OpaquePointer(spin), Double(number))
    }
    guard let button = WidgetTree.all("GtkButton", in: popover).last(where: { WidgetTree.texts($0) == ["Choose"] })
    else { throw ScenarioError(description: "no button") }
    try await shown.press(button)
    try await shown.until { gtk_widget_get_mapped(popover) == 0 }
  }

  private static func takeInPage(_ step: FlowSample.Step, _ shown: ShownFlow) async throws {
    let script: String
    switch step {
    case .type(let id, let text):
      script = """
        { const input = \(element(id)).querySelector('input'); input.focus();
          input.value = \(ScriptLiteral.quote(text));
          input.dispatchEvent(new InputEvent('input', {bubbles: true})); input.blur(); }
        """
    case .step(let id, let count): script = "\(element(id)).querySelector('[data-step=\"\(count)\"]').click()"
    case .toggle(let id): script = "\(element(id)).querySelector('input').click()"
    case .date(let id, let text):
      script = """
        { const input = \(element(id)).querySelector('input'); input.value = '\(text)';
          input.dispatchEvent(new InputEvent('input', {bubbles: true})); }
        """
    case .option(let id, let index): script = "\(element(id)).querySelectorAll('input')[\(index)].click()"
    case .press(let id): script = "\(element(id)).click()"
    }
    _ = try await shown.view.page?.evaluate(script + "; 0")
  }

  private static func element(_ id: String) -> String { "document.querySelector('[data-id=\"\(id)\"]')" }
}
