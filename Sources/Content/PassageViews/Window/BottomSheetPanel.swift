internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraWebContent

/// The bottom sheet of a page: texts, perhaps a field for an address, and a button. A new content replaces the old one
/// in the same sheet.
@MainActor
final class BottomSheetPanel {
  let sheet: SheetPanel
  private let signals = Signals()
  private var actions: [ButtonAction] = []
  private var field: UnsafeMutablePointer<GtkWidget>?
  private var button: UnsafeMutablePointer<GtkWidget>?
  private let onSubmit: @MainActor (String?) -> Void

  init(onSubmit: @escaping @MainActor (String?) -> Void, onClose: @escaping @MainActor () -> Void) {
    self.onSubmit = onSubmit
    sheet = SheetPanel(part: 0.7, onClose: onClose)
  }

  func show(_ content: BottomSheet) {
    signals.disconnectAll()
    actions = []
    field = nil
    button = nil
    let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
    WidgetHelp.margins(box, 24)
    gtk_widget_set_margin_top(box, 12)
    gtk_box_append(object(box), WidgetHelp.text(content.title, style: "passage-sheet-title", characters: 80))
    if let description = content.description {
      gtk_box_append(object(box), WidgetHelp.text(description, style: "passage-sheet-text", characters: 80))
    }
    for point in content.points {
      gtk_box_append(object(box), WidgetHelp.text("• \(point)", style: "passage-sheet-text", characters: 80))
    }
    if content.showsInput { addField(box) }
    if let text = content.closeButtonText { addButton(text, box) }
    let scroller: UnsafeMutablePointer<GtkWidget> = gtk_scrolled_window_new()
    gtk_scrolled_window_set_policy(OpaquePointer(scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_propagate_natural_height(OpaquePointer(scroller), 1)
    gtk_widget_set_vexpand(scroller, 1)
    gtk_scrolled_window_set_child(OpaquePointer(scroller), box)
    sheet.setContent(scroller)
    sheet.setOpen(true)
    // Keys go to the sheet, and Escape closes it.
    if let first = field ?? button { gtk_widget_grab_focus(first) } else { sheet.focus() }
  }

  func end() {
    signals.disconnectAll()
    actions = []
    sheet.end()
  }

  private func addField(_ box: UnsafeMutablePointer<GtkWidget>) {
    let entry: UnsafeMutablePointer<GtkWidget> = gtk_entry_new()
    gtk_entry_set_placeholder_text(object(entry), "https://")
    gtk_entry_set_input_purpose(object(entry), GTK_INPUT_PURPOSE_URL)
    gtk_entry_set_max_length(object(entry), 2_048)
    WidgetHelp.name(entry, "Address")
    field = entry
    let action = ButtonAction { [weak self] in self?.submit() }
    actions.append(action)
    signals.on(gpointer(entry), "activate", action) { $0.run() }
    gtk_box_append(object(box), entry)
  }

  private func addButton(_ text: String, _ box: UnsafeMutablePointer<GtkWidget>) {
    let button: UnsafeMutablePointer<GtkWidget> = gtk_button_new_with_label(WidgetHelp.clean(text))
    self.button = button
    gtk_widget_add_css_class(button, "passage-sheet-button")
    let action = ButtonAction { [weak self] in self?.submit() }
    actions.append(action)
    WidgetHelp.onClick(button, signals, action)
    gtk_box_append(object(box), button)
  }

  private func submit() {
    let text = field.flatMap { gtk_editable_get_text(OpaquePointer($0)) }.map { String(cString: $0) }
    onSubmit(text)
  }
}
